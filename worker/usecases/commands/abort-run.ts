import { isOpenRun, runLogEnd } from '../../domain/jobs/run-state.ts';
import { isLogOld, removedLogLine } from '../../domain/logs/log-retention.ts';
import { findRun, type RunRow } from '../../store/commands/run-store.ts';
import type { JobRow } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endLog } from '../deployments/end-log.ts';
import { abortDataJob } from '../jobs/abort-data-job.ts';

/**
 * Aborts a command: immediately while it is queued, otherwise by asking its host, which sends SIGTERM and 10 s later SIGKILL.
 * @throws ApiError `cannot_abort` if it has ended
 */
export async function abortRun(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now'>,
  { run, job }: { run: RunRow; job: JobRow },
): Promise<void> {
  await abortDataJob(deps, { jobId: run.jobId, status: isOpenRun(run.status) ? 'running' : run.status });
  if (job.state === 'queued') await endOrphanedRunLog(deps, run.id);
}

/**
 * Closes the log of a command that has ended while its log is still open; a log that was removed because of its age gets a line that
 * says so. No effect in any other case.
 * @throws ApiError `unavailable` if an old log is in the archive, and the bucket fails
 */
export async function endOrphanedRunLog(
  deps: Pick<Dependencies, 'db' | 'logs' | 'now'>,
  runId: string,
): Promise<void> {
  const run = await findRun(deps.db, runId);
  const end = run && runLogEnd(run, run.exitCode !== null);
  if (!end) return;
  if (isLogOld(run.finishedAt, deps.now()))
    await deps.logs.finish(runId, { ...end, lineIfEmpty: removedLogLine });
  else await endLog(deps, runId, end);
}
