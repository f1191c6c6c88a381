import { keepsRemotely, remoteKeyOf } from '../../domain/backups/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import { uploadKeyOf } from '../../domain/sources/upload.ts';
import { type CopyJob, findCopyJob } from '../../store/backups/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isTransferTokenOf } from '../transfer-token.ts';

type Needs = Pick<Dependencies, 'db' | 'isFingerprint'>;

/** A job that does not exist, because the epochs of real attempts start at 1. */
const nobody = { id: '', epoch: 0 };

/**
 * Authenticates a host's request for a job and returns the job.
 * @throws ApiError `unauthenticated`, the same for a wrong token and an unknown job
 */
export async function authenticateCopyJob(deps: Needs, jobId: string, token: string): Promise<CopyJob> {
  const found = await findCopyJob(deps.db, jobId);
  const isVerified = await isTransferTokenOf(deps, found?.job ?? nobody, token);
  if (found && isVerified) return found;
  throw new ApiError('unauthenticated', 'The transfer token of this job is missing or wrong.');
}

/** Key of the copy that the job writes. @throws ApiError `conflict` if the job has ended; `unsupported` if it stores no copy */
export function writtenCopy(job: CopyJob): string {
  assertActive(job);
  const key = ownCopy(job);
  if (key === null) throw new ApiError('unsupported', 'This job stores no copy in the bucket.');
  return key;
}

/**
 * Key of the object that a job reads: a backup verifies its copy, a restore or drill loads it, an import loads the uploaded file, a deployment builds
 * the uploaded folder. @throws ApiError as `writtenCopy`
 */
export function readCopy(job: CopyJob): string {
  assertActive(job);
  const key = job.job.kind === 'backup' ? ownCopy(job) : (job.restored?.remoteKey ?? uploadedKey(job));
  if (key === null) throw new ApiError('unsupported', 'This job reads no copy from the bucket.');
  return key;
}

/** Null if the job stores none. The safety copy before a restore remains on its host. */
export const ownCopy = ({ job, taken }: CopyJob): string | null =>
  job.kind === 'backup' && taken && keepsRemotely(taken.storage) ? remoteKeyOf(taken) : null;

const uploadedKey = ({ uploaded }: CopyJob): string | null => uploaded && uploadKeyOf(uploaded);

export const isActive = ({ job }: CopyJob) => job.state === 'active';

function assertActive(job: CopyJob): void {
  if (!isActive(job)) throw new ApiError('conflict', 'The job has already ended.');
}
