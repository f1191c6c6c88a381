import { ApiError } from '../../domain/errors.ts';
import { endDataJob } from '../../store/data-job-store.ts';
import { requestAbort } from '../../store/deployment-store.ts';
import { findJob } from '../../store/job-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The hub answers as soon as it has read the row. */
const endIsWrittenMs = 1_000;

/**
 * Aborts a job on data: at once while it is queued, else by asking its host, which takes back what it has begun.
 * @throws ApiError `cannot_abort` once it is over, or has begun to exchange the data
 */
export async function abortDataJob(
  { db, hubs, now }: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  subject: { jobId: string | null; status: string },
): Promise<void> {
  const found = subject.jobId === null ? undefined : await findJob(db, subject.jobId);
  if (!found || subject.status !== 'running') throw over(subject.status);
  const { job } = found;
  const end = { state: 'aborted', at: now(), facts: {}, resultId: null, failure: null } as const;
  if (job.state === 'queued' && (await endDataJob(db, job, end))) {
    // No host will tell this end: asking for it has the hub read the row, and tell those who wait for it already.
    await hubs.jobEnds(job.runnerId, job.id, endIsWrittenMs);
    return;
  }
  if (!(await requestAbort(db, job.id, now()))) throw over('running');
  await hubs.abortJob(job.runnerId, job.id);
}

function over(status: string): ApiError {
  const why = status === 'running' ? 'the data is being exchanged' : `it is ${status} already`;
  return new ApiError('cannot_abort', `This can no longer be aborted: ${why}.`);
}
