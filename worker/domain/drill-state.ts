import type { TerminalJobState } from './job-state.ts';

/**
 * How a restore drill stands. `failed` is a word about the backup: it was tried and did not hold. `skipped`: it could not be tried out, and
 * nothing is known of it. `aborted`: somebody wanted that, or other work on the database came first.
 */
export const drillStates = ['running', 'succeeded', 'failed', 'skipped', 'aborted'] as const;

export type DrillState = (typeof drillStates)[number];

/** Failures that say nothing of the backup (protocol/job-report's failureCodes). */
const notTried = [
  'drill_skipped',
  'disk_full',
  'database_down',
  'docker_unavailable',
  'runner_restarted',
  'runner_lost',
  'queue_timeout',
];

/** @param failureCode of a job that has failed */
export function endedDrillState(state: TerminalJobState, failureCode: string | null): DrillState {
  if (state !== 'failed') return state;
  return failureCode !== null && notTried.includes(failureCode) ? 'skipped' : 'failed';
}
