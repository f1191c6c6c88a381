import type { JobPhase } from '../../protocol/job-report.ts';

/** From the commit point on a job can't be aborted: the traffic or the data is moving or has moved. */
export const committedPhases = ['switch', 'finish'] as const satisfies readonly JobPhase[];

export interface EndedDeployment {
  status: string;
  /** Null until the deployment is final; `running` (live) is final too. */
  finishedAt: number | null;
}

/** Why this deployment can't be aborted: a sentence for the user. */
export function abortRefusal(deployment: { status: string }): string {
  switch (deployment.status) {
    case 'queued':
    case 'building':
      return 'The deployment can no longer be aborted: its new version is receiving traffic.';
    case 'running':
      return 'The deployment can no longer be aborted: it is live.';
    default:
      return `The deployment can no longer be aborted: it is already ${deployment.status}.`;
  }
}

/**
 * How the log of a deployment ends. It depends on the rows alone, so every caller, however late, ends it the same way.
 * If a runner reported the result (`resultId`), its own lines already say how it ended; otherwise the platform adds a line.
 * @returns null until the deployment is final
 */
export function logEndOf(
  deployment: EndedDeployment,
  job: { failureMessage: string | null; resultId?: string | null },
): { ok: boolean; line?: string } | null {
  if (deployment.finishedAt === null) return null;
  if (deployment.status === 'running' || deployment.status === 'superseded') return { ok: true };
  const line = deployment.status === 'aborted' ? 'The deployment was aborted.' : job.failureMessage;
  return typeof job.resultId === 'string' || line === null ? { ok: false } : { ok: false, line };
}
