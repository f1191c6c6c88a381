import type { FailureCode } from '../../../protocol/job-report.ts';
import { logEndOf } from '../../domain/jobs/deployment-end.ts';
import { statusOfEndedJob } from '../../domain/jobs/deployment-state.ts';
import { isTerminal, type JobEvent, transition } from '../../domain/jobs/job-state.ts';
import { endDataJob } from '../../store/jobs/data-job-store.ts';
import { endJob, type JobEnd } from '../../store/jobs/job-end-store.ts';
import { type FoundJob, findJob, hasDeployment } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endLog } from '../deployments/end-log.ts';

/** If two events change a row at the same time, one of them reads it again. A row does not change more often than this in that time. */
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
 * Ends a job that will have no valid result any more: first the rows, then the log.
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
    if (!(await writeEnd(deps.db, found, end))) continue;
    await endLogOf(deps, found, end);
    return true;
  }
  return false;
}

/**
 * Writes the end of a job of any kind, and of its deployment, run or other owner.
 * @returns other hosts that have work now; undefined if the row has changed since it was read: nothing was written then
 */
export function writeEnd(
  db: Dependencies['db'],
  found: FoundJob,
  end: JobEnd,
): Promise<string[] | undefined> {
  return hasDeployment(found) ? endJob(db, found, end) : endDataJob(db, found.job, end);
}

/** Ends the log of a deployment or command. A host's own lines already contain the outcome; otherwise the platform adds a line. */
export async function endLogOf(
  deps: Pick<Dependencies, 'logs'>,
  { deploymentId, runId }: FoundJob,
  { state, at, failure, resultId }: JobEnd,
): Promise<void> {
  if (runId && resultId !== null) return endLog(deps, runId, { ok: state === 'succeeded' });
  if (runId) return endLog(deps, runId, { ok: false, line: failure?.message ?? 'The command was aborted.' });
  if (deploymentId === null) return;
  const reason = { failureCode: failure?.code ?? null, failureMessage: failure?.message ?? null, resultId };
  const end = logEndOf({ status: statusOfEndedJob[state], finishedAt: at }, reason);
  if (end) await endLog(deps, deploymentId, end);
}
