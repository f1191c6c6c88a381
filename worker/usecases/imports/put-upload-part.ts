import { ApiError } from '../../domain/errors.ts';
import { assertOpenUpload, bytesOfPart, uploadKeyOf } from '../../domain/sources/upload.ts';
import { recordUploadPart, type UploadRow } from '../../store/deployments/upload-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

/**
 * Streams one part of a file to the bucket and records it. A part that is sent again replaces the earlier one.
 * @throws ApiError `invalid_request` for a part number or length that does not match the file; `conflict`, `not_found` if the upload is closed;
 *   `unavailable`
 */
export async function putUploadPart(
  { db, blobs, now }: Needs,
  upload: UploadRow,
  part: number,
  request: Request,
): Promise<void> {
  assertOpenUpload(upload, now());
  const expected = bytesOfPart(upload, part);
  const length = request.headers.get('content-length');
  if (length !== String(expected) || !request.body)
    throw new ApiError(
      'invalid_request',
      `Part ${part} must have ${expected} bytes, but the header Content-Length is ${length ?? 'missing'}: send exactly the bytes of the part as the body.`,
    );
  const key = uploadKeyOf(upload);
  const tag = await blobs
    .putPart({ key, id: upload.blobId }, part, request.body)
    .catch(async (error: unknown) => Promise.reject(await whyRefused(blobs, key, error)));
  await recordUploadPart(db, { uploadId: upload.id, part, tag });
}

/** Explains a refused part: after an import has joined the parts, the bucket no longer has the upload. */
async function whyRefused(blobs: Needs['blobs'], key: string, error: unknown): Promise<unknown> {
  const isOver = error instanceof ApiError && error.code === 'conflict';
  if (!isOver || (await blobs.size(key).catch(() => null)) === null) return error;
  return new ApiError('conflict', 'The file is already complete: import it, or delete the upload.', {
    cause: error,
  });
}
