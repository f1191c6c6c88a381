import { ApiError } from '../../domain/errors.ts';
import { assertOpenUpload, bytesOfPart, uploadKeyOf } from '../../domain/upload.ts';
import { noteUploadPart, type UploadRow } from '../../store/upload-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

/**
 * Passes one part of a file on to the bucket as it comes, and writes down that it has come. One that comes again takes the place of the
 * first.
 * @throws ApiError `invalid_request` for a part that the file doesn't have or that has another length; `conflict`, `not_found` when the
 *   upload is over; `unavailable`
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
      `Part ${part} has ${expected} bytes, and the header Content-Length says ${length ?? 'nothing'}: send the very bytes of the part as the body.`,
    );
  const key = uploadKeyOf(upload);
  const tag = await blobs
    .putPart({ key, id: upload.blobId }, part, request.body)
    .catch(async (error: unknown) => Promise.reject(await whyNotTaken(blobs, key, error)));
  await noteUploadPart(db, { uploadId: upload.id, part, tag });
}

/** Once an import has begun to put the parts together the bucket knows nothing of them any more. */
async function whyNotTaken(blobs: Needs['blobs'], key: string, error: unknown): Promise<unknown> {
  const isOver = error instanceof ApiError && error.code === 'conflict';
  if (!isOver || (await blobs.size(key).catch(() => null)) === null) return error;
  return new ApiError('conflict', 'The file is whole already: import it, or delete the upload.', {
    cause: error,
  });
}
