/** A file that a client uploads in parts: a database dump to import, or a packed folder from which a service is built. */
import { copyPartBytes, copyPartsMax } from '../../../protocol/backup-copy.ts';
import { ApiError } from '../errors.ts';

/** Size of every part except the last: the same as for backups, for the same reasons. */
export const uploadPartBytes = copyPartBytes;
/** 187 GiB. */
export const uploadBytesMax = copyPartBytes * copyPartsMax;
/** Open uploads per service. More than one, so that a forgotten upload does not block a new one. */
export const openUploadsMax = 3;
/** An unused upload is refused and deleted after this time. */
export const uploadKeptMs = 24 * 3_600_000;

/** Limit of a packed folder: the limit of a checkout (runner/source/source-budget), which also applies to its files. */
export const folderBytesMax = 10 ** 9;
/** Number of stored folders for builds of earlier deployments; rollbacks use images. */
export const keptFolders = 3;
/** The expiry of a folder that a deployment has used: the folder never expires. The year 9999. */
export const neverExpires = Date.UTC(9999, 0);

export interface Upload {
  id: string;
  serviceId: string;
  sizeBytes: number;
  importId: string | null;
  expiresAt: number;
}

export const uploadPartsOf = ({ sizeBytes }: Pick<Upload, 'sizeBytes'>): number =>
  Math.ceil(sizeBytes / uploadPartBytes);

/** @param received numbers of the received parts @returns the numbers of the missing parts, in order */
export function missingParts(upload: Pick<Upload, 'sizeBytes'>, received: readonly number[]): number[] {
  const there = new Set(received);
  return Array.from({ length: uploadPartsOf(upload) }, (_, at) => at + 1).filter((part) => !there.has(part));
}

/** @param part counts from 1 @throws ApiError `invalid_request` for a part that the file does not have */
export function bytesOfPart(upload: Pick<Upload, 'sizeBytes'>, part: number): number {
  const parts = uploadPartsOf(upload);
  if (part >= 1 && part <= parts)
    return Math.min(uploadPartBytes, upload.sizeBytes - (part - 1) * uploadPartBytes);
  throw new ApiError(
    'invalid_request',
    `The query parameter "part" must be a number from 1 to ${parts}: the file has ${upload.sizeBytes} bytes.`,
  );
}

export const uploadKeyOf = ({ id, serviceId }: Pick<Upload, 'id' | 'serviceId'>) =>
  `uploads/${serviceId}/${id}`;

/** The label of the file in a list of imports. */
export const uploadLabelOf = ({ sizeBytes }: Pick<Upload, 'sizeBytes'>) =>
  `file/${sizeBytes < 1e6 ? `${sizeBytes} bytes` : `${(sizeBytes / 1e6).toFixed(1)} MB`}`;

/** @throws ApiError `conflict` if an import has used it; `not_found` if it has expired or was deleted */
export function assertOpenUpload(upload: Upload, now: number): void {
  if (upload.importId !== null)
    throw new ApiError(
      'conflict',
      `The import ${upload.importId} has already used this upload: upload the file again for another import.`,
    );
  if (upload.expiresAt > now) return;
  throw new ApiError('not_found', 'This upload has expired after 24 hours or was deleted: start a new one.');
}
