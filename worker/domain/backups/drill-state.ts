import type { TerminalJobState } from '../jobs/job-state.ts';

/**
 * States of a restore drill. `failed`: the backup was tested and is unusable. `skipped`: it could not be tested, so its state is unknown.
 * `aborted`: a user aborted the drill, or other work on the database took precedence.
 */
export const drillStates = ['running', 'succeeded', 'failed', 'skipped', 'aborted'] as const;

export type DrillState = (typeof drillStates)[number];

/** Failure codes that do not concern the backup (protocol/job-report's failureCodes). */
const notTried = [
  'drill_skipped',
  'disk_full',
  'database_down',
  'docker_unavailable',
  'runner_restarted',
  'runner_lost',
  'queue_timeout',
];

/** @param failureCode of the failed job */
export function endedDrillState(state: TerminalJobState, failureCode: string | null): DrillState {
  if (state !== 'failed') return state;
  return failureCode !== null && notTried.includes(failureCode) ? 'skipped' : 'failed';
}
