/** The upload of a backup copy at a host's request. Decides which object a job may write; gateways/blobs does the work. */
import { copyPartBytes } from '../../../protocol/backup-copy.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CopyJob } from '../../store/backups/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isActive, ownCopy, writtenCopy } from './authenticate-copy-job.ts';

type Needs = Pick<Dependencies, 'blobs'>;

/** @returns the upload's id @throws ApiError `conflict`, `unsupported`, `unavailable` */
export const beginCopy = ({ blobs }: Needs, job: CopyJob): Promise<string> =>
  blobs.begin(writtenCopy(job), job.job.id);

/**
 * Streams one part to the bucket.
 * @throws ApiError `invalid_request` without a length; `payload_too_large`; as `beginCopy`
 */
export function putCopyPart(
  { blobs }: Needs,
  job: CopyJob,
  { upload, part, request }: { upload: string; part: number; request: Request },
): Promise<string> {
  const key = writtenCopy(job);
  const length = request.headers.get('content-length');
  if (length === null || !/^[1-9]\d{0,14}$/.test(length) || !request.body) {
    throw new ApiError('invalid_request', 'A part needs bytes and the header Content-Length.');
  }
  if (Number(length) > copyPartBytes) {
    throw new ApiError('payload_too_large', `A part can have at most ${copyPartBytes} bytes.`);
  }
  return blobs.putPart({ key, id: upload }, part, request.body);
}

/** @throws ApiError as `beginCopy` */
export const completeCopy = (
  { blobs }: Needs,
  job: CopyJob,
  { upload, etags }: { upload: string; etags: readonly string[] },
): Promise<void> => blobs.complete({ key: writtenCopy(job), id: upload }, job.job.id, etags);

/**
 * Aborts an upload and, while the job is running, deletes the completed object. The upload can also be aborted after the job's end,
 * because the platform may have ended the job before its host cleaned up.
 */
export async function discardCopy({ blobs }: Needs, job: CopyJob, upload: string): Promise<void> {
  const key = ownCopy(job);
  if (key === null) return;
  await blobs.abort({ key, id: upload });
  if (isActive(job)) await blobs.remove([key]);
}
