import type { FailureCode } from '../../../protocol/job-report.ts';
import { logEndOf } from '../../domain/deployment-end.ts';
import { statusOfEndedJob } from '../../domain/deployment-state.ts';
import { isTerminal, type JobEvent, transition } from '../../domain/job-state.ts';
import { endDataJob } from '../../store/data-job-store.ts';
import { endJob } from '../../store/job-end-store.ts';
import { findJob, hasDeployment } from '../../store/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endLog } from '../deployments/end-log.ts';

/** Of two events on one row the loser reads it again and decides anew; nothing changes a row three times in that moment. */
export const rowRaceRounds = 3;

/** Events by which the platform, not the host, ends a job. */
export type PlatformEnd = Extract<
  JobEvent['type'],
  'undispatchable' | 'runner-lost' | 'runner-revoked' | 'deadline-passed' | 'queue-timed-out'
>;

/**
 * Ends a job of which no result will come, or none that counts any more: rows first, then the log.
 * @param failure kept only where the job fails: one whose abort was asked for ends aborted.
 * @returns false when the job is over or may no longer be ended: nothing was written.
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
      if (await endDataJob(deps.db, found.job, end)) return true;
      continue;
    }
    if (!(await endJob(deps.db, found, end))) continue;
    const logEnd = logEndOf(
      { status: statusOfEndedJob[to.state], finishedAt: at },
      { failureMessage: failed?.message ?? null },
    );
    if (logEnd) await endLog(deps, found.deploymentId, logEnd);
    return true;
  }
  return false;
}
