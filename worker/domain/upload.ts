/** A dump file that a client sends in parts, to fill a database with it. */
import { copyPartBytes, copyPartsMax } from '../../protocol/backup-copy.ts';
import { ApiError } from './errors.ts';

/** Of every part but the last: as large as those of backups, for the same reasons. */
export const uploadPartBytes = copyPartBytes;
/** 187 GiB. */
export const uploadBytesMax = copyPartBytes * copyPartsMax;
/** Of a database at once: whoever has forgotten one can begin another. */
export const openUploadsMax = 3;
/** Unused it is refused after this time, and removed. */
export const uploadKeptMs = 24 * 3_600_000;

export interface Upload {
  id: string;
  serviceId: string;
  sizeBytes: number;
  importId: string | null;
  expiresAt: number;
}

export const uploadPartsOf = ({ sizeBytes }: Pick<Upload, 'sizeBytes'>): number =>
  Math.ceil(sizeBytes / uploadPartBytes);

/** @param come those that have come, by their numbers @returns the others, in their order */
export function missingParts(upload: Pick<Upload, 'sizeBytes'>, come: readonly number[]): number[] {
  const there = new Set(come);
  return Array.from({ length: uploadPartsOf(upload) }, (_, at) => at + 1).filter((part) => !there.has(part));
}

/** @param part from 1 on @throws ApiError `invalid_request` for one that the file doesn't have */
export function bytesOfPart(upload: Pick<Upload, 'sizeBytes'>, part: number): number {
  const parts = uploadPartsOf(upload);
  if (part >= 1 && part <= parts)
    return Math.min(uploadPartBytes, upload.sizeBytes - (part - 1) * uploadPartBytes);
  throw new ApiError(
    'invalid_request',
    `The query parameter "part" must be a number from 1 to ${parts}: the file has ${upload.sizeBytes} bytes.`,
  );
}

/** Where it lies in the bucket. */
export const uploadKeyOf = ({ id, serviceId }: Pick<Upload, 'id' | 'serviceId'>) =>
  `uploads/${serviceId}/${id}`;

/** How a list of imports names it. */
export const uploadLabelOf = ({ sizeBytes }: Pick<Upload, 'sizeBytes'>) =>
  `file/${sizeBytes < 1e6 ? `${sizeBytes} bytes` : `${(sizeBytes / 1e6).toFixed(1)} MB`}`;

/** @throws ApiError `conflict` when an import has taken it; `not_found` when it has expired or was taken back */
export function assertOpenUpload(upload: Upload, now: number): void {
  if (upload.importId !== null)
    throw new ApiError(
      'conflict',
      `The import ${upload.importId} has used this upload: for another one upload the file again.`,
    );
  if (upload.expiresAt > now) return;
  throw new ApiError(
    'not_found',
    'This upload was not used within 24 hours, or was taken back: begin another.',
  );
}
