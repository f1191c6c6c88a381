/** The states of a deployment as clients see them; they follow from its job. */
import type { TerminalJobState } from './job-state.ts';

/** What starts a deployment. `image-update`: a new digest of the service's image. */
export const deploymentTriggers = [
  'manual',
  'rollback',
  'webhook',
  'restore',
  'restart',
  'image-update',
] as const;

export const pendingDeploymentStatuses = ['queued', 'building'] as const;
/** Final states. `running` (live) is final too, but becomes `superseded` when a later deployment replaces it. */
export const finishedDeploymentStatuses = ['running', 'superseded', 'failed', 'aborted'] as const;

export type DeploymentStatus =
  | (typeof pendingDeploymentStatuses)[number]
  | (typeof finishedDeploymentStatuses)[number];

export type DeploymentEvent = 'started' | 'replaced' | { jobEnded: TerminalJobState };

/** @returns the status after the event; null if the event does not apply. */
export function deploymentTransition(
  status: DeploymentStatus,
  event: DeploymentEvent,
): DeploymentStatus | null {
  if (event === 'replaced') return status === 'running' ? 'superseded' : null;
  if (!pendingDeploymentStatuses.some((pending) => pending === status)) return null;
  return event === 'started' ? 'building' : statusOfEndedJob[event.jobEnded];
}

export const statusOfEndedJob = {
  succeeded: 'running',
  failed: 'failed',
  aborted: 'aborted',
} as const satisfies Record<TerminalJobState, DeploymentStatus>;
