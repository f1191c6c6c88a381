import { keepsRemotely, remoteKeyOf } from '../../domain/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import { uploadKeyOf } from '../../domain/upload.ts';
import { sameText } from '../../security/api-token.ts';
import { type CopyJob, findCopyJob } from '../../store/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { transferTokenOf } from '../transfer-token.ts';

type Needs = Pick<Dependencies, 'db' | 'fingerprint'>;

/** Attempts have numbers from 1 on: the proof of nothing. */
const nobody = { id: '', epoch: 0 };

/**
 * The job that a host's request is of.
 * @throws ApiError `unauthenticated`, the same for a wrong token and for no such job
 */
export async function proveCopyJob(deps: Needs, jobId: string, token: string): Promise<CopyJob> {
  const found = await findCopyJob(deps.db, jobId);
  const isProven = sameText(token, await transferTokenOf(deps, found?.job ?? nobody));
  if (found && isProven) return found;
  throw new ApiError('unauthenticated', 'This host may not move the bytes of this job.');
}

/** The job's own copy, which it writes. @throws ApiError `conflict` when the job is over; `unsupported` when it keeps no copy */
export function writtenCopy(job: CopyJob): string {
  assertActive(job);
  const key = ownCopy(job);
  if (key === null) throw new ApiError('unsupported', 'This job keeps no copy in the bucket.');
  return key;
}

/** The copy that a job reads: of a backup to prove it, of a restore or a drill to fill from it; of an import the uploaded file. @throws ApiError as `writtenCopy` */
export function readCopy(job: CopyJob): string {
  assertActive(job);
  const key = job.job.kind === 'backup' ? ownCopy(job) : (job.restored?.remoteKey ?? uploadedKey(job));
  if (key === null) throw new ApiError('unsupported', 'This job has no copy in the bucket to read.');
  return key;
}

/** Null: it keeps none. A safety copy before a restore stays on its host. */
export const ownCopy = ({ job, taken }: CopyJob): string | null =>
  job.kind === 'backup' && taken && keepsRemotely(taken.storage) ? remoteKeyOf(taken) : null;

const uploadedKey = ({ uploaded }: CopyJob): string | null => uploaded && uploadKeyOf(uploaded);

export const isActive = ({ job }: CopyJob) => job.state === 'active';

function assertActive(job: CopyJob): void {
  if (!isActive(job)) throw new ApiError('conflict', 'The job is over: nothing more is moved for it.');
}
