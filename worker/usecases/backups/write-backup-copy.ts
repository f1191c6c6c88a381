/** The parts of an upload, as a host asks for them: what they do is the bucket's (gateways/blobs), whose object they may touch is said here. */
import { copyPartBytes } from '../../../protocol/backup-copy.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CopyJob } from '../../store/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isActive, ownCopy, writtenCopy } from './prove-copy-job.ts';

type Needs = Pick<Dependencies, 'blobs'>;

/** @returns the upload's id @throws ApiError `conflict`, `unsupported`, `unavailable` */
export const beginCopy = ({ blobs }: Needs, job: CopyJob): Promise<string> =>
  blobs.begin(writtenCopy(job), job.job.id);

/**
 * Passes one part on as it comes.
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
    throw new ApiError('payload_too_large', `A part has ${copyPartBytes} bytes at most.`);
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
 * Takes an upload back and, while the job is not over, the object that was made of it. An upload may be taken back after the end, too:
 * the platform may have ended the job before its host had cleared up.
 */
export async function discardCopy({ blobs }: Needs, job: CopyJob, upload: string): Promise<void> {
  const key = ownCopy(job);
  if (key === null) return;
  await blobs.abort({ key, id: upload });
  if (isActive(job)) await blobs.remove([key]);
}
