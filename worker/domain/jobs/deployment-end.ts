import type { JobPhase } from '../../../protocol/job-report.ts';
import type { LogEnding } from '../logs/log-events.ts';

/** After the commit point a job can't be aborted: the traffic or the data is moving or has moved. */
export const committedPhases = ['switch', 'finish'] as const satisfies readonly JobPhase[];

/** The ending of a log, and the platform's own last line in it. */
interface LogEnd extends LogEnding {
  line?: string;
}

export interface EndedDeployment {
  status: string;
  /** Null until the deployment is final; `running` (live) is final too. */
  finishedAt: number | null;
}

/** Why this deployment can't be aborted, as a sentence for the user. */
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
 * The end of a deployment's log. It depends only on the rows, so it is the same for every caller, however late.
 * If a runner reported the result (`resultId`), the runner's own lines already contain the outcome; otherwise the platform adds a line.
 * @returns null until the deployment is final
 */
export function logEndOf(
  deployment: EndedDeployment,
  job: { failureCode: string | null; failureMessage: string | null; resultId?: string | null },
): LogEnd | null {
  if (deployment.finishedAt === null) return null;
  if (deployment.status === 'running' || deployment.status === 'superseded') {
    return { ok: true, status: 'running', code: null, error: null };
  }
  const isAborted = deployment.status === 'aborted';
  const ending = isAborted
    ? ({ ok: false, status: 'aborted', code: null, error: null } as const)
    : ({ ok: false, status: 'failed', code: job.failureCode, error: job.failureMessage } as const);
  const line = isAborted ? 'The deployment was aborted.' : job.failureMessage;
  return typeof job.resultId === 'string' || line === null ? ending : { ...ending, line };
}
