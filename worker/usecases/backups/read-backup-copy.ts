import { ApiError } from '../../domain/errors.ts';
import { byteRange } from '../../domain/values/byte-range.ts';
import type { CopyJob } from '../../store/backups/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readCopy } from './authenticate-copy-job.ts';

/**
 * Sends bytes of a copy to the host that verifies or restores it; `Range` selects a part.
 * @throws ApiError `conflict` if the job has ended or the object is missing; `unsupported`, `unavailable`
 */
export async function readBackupCopy(
  { blobs }: Pick<Dependencies, 'blobs'>,
  job: CopyJob,
  headers: Headers,
): Promise<Response> {
  const key = readCopy(job);
  const sizeBytes = await blobs.size(key);
  if (sizeBytes === null) throw job.uploaded ? uploadGone() : goneFromBucket();
  const range = byteRange(headers, { sizeBytes, checksum: key });
  if (range === null) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${sizeBytes}` } });
  }
  const body = await blobs.read(key, range);
  if (body === null) throw goneFromBucket();
  const { first, last } = range;
  return new Response(body, {
    status: range.isPart ? 206 : 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(last + 1 - first),
      ...(range.isPart ? { 'content-range': `bytes ${first}-${last}/${sizeBytes}` } : {}),
    },
  });
}

const uploadGone = () =>
  new ApiError(
    'conflict',
    'The uploaded file is no longer in the bucket of the control plane: upload it again.',
  );

export const goneFromBucket = () =>
  new ApiError('conflict', 'The copy of this backup is no longer in the bucket of the control plane.');
