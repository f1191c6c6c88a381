import { ApiError } from '../../domain/errors.ts';
import { findOpenRestore } from '../../store/backups/backup-store.ts';
import { findOpenDrill } from '../../store/backups/drill-store.ts';
import { requestAbort } from '../../store/deployments/deployment-store.ts';
import { endDataJob } from '../../store/jobs/data-job-store.ts';
import { findJob } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now'>;

/** The hub answers as soon as it has read the row. */
const endIsWrittenMs = 1_000;

/**
 * Aborts a data job: immediately while it is queued, otherwise by asking its host, which undoes its work.
 * @throws ApiError `cannot_abort` if the job has ended or has started to replace the data
 */
export async function abortDataJob(
  { db, hubs, now }: Needs,
  subject: { jobId: string | null; status: string },
): Promise<void> {
  const found = subject.jobId === null ? undefined : await findJob(db, subject.jobId);
  if (!found || subject.status !== 'running') throw over(subject.status);
  const { job } = found;
  const end = { state: 'aborted', at: now(), facts: {}, resultId: null, failure: null } as const;
  if (job.state === 'queued' && (await endDataJob(db, job, end))) {
    // No host reports this end, so this call lets the hub read the row and notify the requests that wait for the job.
    await hubs.jobEnds(job.runnerId, job.id, endIsWrittenMs);
    return;
  }
  if (!(await requestAbort(db, job.id, now()))) throw over('running');
  await hubs.abortJob(job.runnerId, job.id);
}

const findOpen = { restore: findOpenRestore, drill: findOpenDrill };

/** Asks the host to end the restore or the drill of a backup. @throws ApiError `cannot_abort` if none is in progress */
export async function abortWorkWith(
  deps: Needs,
  work: keyof typeof findOpen,
  backupId: string,
): Promise<void> {
  const open = await findOpen[work](deps.db, backupId);
  if (!open) throw new ApiError('cannot_abort', `No ${work} of this backup is in progress.`);
  await abortDataJob(deps, open);
}

function over(status: string): ApiError {
  const why = status === 'running' ? 'the data is being replaced' : `it is already ${status}`;
  return new ApiError('cannot_abort', `This can no longer be aborted: ${why}.`);
}
