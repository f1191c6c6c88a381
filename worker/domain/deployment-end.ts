/** The end of a deployment: until when it can be aborted, and what its log says last. */
import type { JobPhase } from '../../protocol/job-report.ts';

/** From the commit point on a job can't be aborted: the traffic, or the data, has moved or is moving. */
export const committedPhases = ['switch', 'finish'] as const satisfies readonly JobPhase[];

export interface EndedDeployment {
  status: string;
  /** Null while it is not final; `running` (live) is final too. */
  finishedAt: number | null;
}

/** Why this deployment can't be aborted: a sentence for the user. */
export function abortRefusal(deployment: { status: string }): string {
  switch (deployment.status) {
    case 'queued':
    case 'building':
      return 'The deployment can no longer be aborted: its new version is taking over the traffic.';
    case 'running':
      return 'The deployment can no longer be aborted: it is live.';
    default:
      return `The deployment can no longer be aborted: it is ${deployment.status} already.`;
  }
}

/**
 * How the log of a deployment ends, from its rows alone: whoever ends it, and however late, ends it the same way.
 * A runner that reported the result (`resultId`) has said in its own lines how it ended; otherwise the platform says it.
 * @returns null while the deployment is not final.
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
