import type { FailureCode } from '../../../protocol/job-report.ts';
import { logEndOf } from '../../domain/jobs/deployment-end.ts';
import { statusOfEndedJob } from '../../domain/jobs/deployment-state.ts';
import { isTerminal, type JobEvent, transition } from '../../domain/jobs/job-state.ts';
import { endDataJob } from '../../store/jobs/data-job-store.ts';
import { endJob } from '../../store/jobs/job-end-store.ts';
import { findJob, hasDeployment } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endLog } from '../deployments/end-log.ts';

/** Of two concurrent events on a row, the loser reads it again. A row does not change more often than this in that time. */
export const rowRaceRounds = 3;

/** Events with which the platform, not the host, ends a job. */
export type PlatformEnd = Extract<
  JobEvent['type'],
  | 'undispatchable'
  | 'runner-lost'
  | 'runner-revoked'
  | 'deadline-passed'
  | 'queue-timed-out'
  | 'database-restored'
>;

/**
 * Ends a job for which no result will come, or no result counts any more: first the rows, then the log.
 * @param failure stored only if the job fails; a job whose abort was requested ends as aborted
 * @returns false if the job has already ended or may no longer be ended; nothing was written then
 */
export async function endJobByPlatform(
  deps: Pick<Dependencies, 'db' | 'logs' | 'now'>,
  jobId: string,
  event: PlatformEnd,
  failure: { code: FailureCode; message: string },
): Promise<boolean> {
  for (let round = 0; round < rowRaceRounds; round++) {
    const found = await findJob(deps.db, jobId);
    const to = found && transition(found.job, { type: event });
    if (!found || !to || !isTerminal(to.state)) return false;
    const at = deps.now();
    const failed = to.state === 'failed' ? failure : null;
    const end = { state: to.state, at, facts: {}, resultId: null, failure: failed, moveTaskId: null };
    if (!hasDeployment(found)) {
      if (!(await endDataJob(deps.db, found.job, end))) continue;
      if (found.runId)
        await endLog(deps, found.runId, { ok: false, line: failed?.message ?? 'The command was aborted.' });
      return true;
    }
    if (!(await endJob(deps.db, found, end))) continue;
    const logEnd = logEndOf(
      { status: statusOfEndedJob[to.state], finishedAt: at },
      { failureCode: failed?.code ?? null, failureMessage: failed?.message ?? null },
    );
    if (logEnd) await endLog(deps, found.deploymentId, logEnd);
    return true;
  }
  return false;
}
