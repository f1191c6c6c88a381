/** A user's uploaded file, downloaded from the control plane's bucket to the host for its import. */
import { rm } from 'node:fs/promises';
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { backupPath, removeBackupFile } from '../../storage/backup-files.ts';
import { copyAccess } from '../../storage/copy-requests.ts';
import { fetchCopy } from '../../storage/fetch-copy.ts';
import type { DataAttempt, DataJobParts } from './data-attempt.ts';
import { isNoSpace, type VerifiedFile } from './verified-file.ts';

/**
 * @param token of the attempt
 * @throws JobFailure `import_refused` when the bytes do not have the announced checksum; `disk_full`; `import_failed`; the signal's reason
 */
export async function uploadedFile(
  attempt: DataAttempt,
  spec: ImportSpec,
  token: string | undefined,
): Promise<Omit<VerifiedFile, 'cipher'> & { sizeBytes: number }> {
  const { parts, place, context } = attempt;
  const { file } = spec;
  if (!file || token === undefined)
    throw new JobFailure(
      'internal',
      'The control plane did not name the file of this import: import it again.',
    );
  const { sizeBytes } = file;
  await refuseFullDisk(parts, sizeBytes);
  const path = uploadedPath(parts, spec);
  const { controlPlaneUrl } = parts;
  const access = copyAccess({ controlPlaneUrl, jobId: context.jobId, token, signal: place.signal });
  const progress = (done: number) => place.progress({ done, total: sizeBytes, unit: 'bytes' });
  const { checksum } = await fetchCopy(access, path, { sizeBytes, checksum: null }, progress).catch(
    (error: unknown) => {
      place.signal.throwIfAborted();
      if (isNoSpace(error))
        throw new JobFailure(
          'disk_full',
          `The disk of the host became full at ${parts.dataDirectory} while the uploaded file was downloaded: free disk space on the host. Nothing was changed.`,
          { cause: error },
        );
      throw new JobFailure(
        'import_failed',
        `The uploaded file could not be downloaded from the bucket: ${sentenceOf(error)} Nothing was changed.`,
        { cause: error },
      );
    },
  );
  if (file.checksum === null || file.checksum === checksum)
    return { path, sizeBytes, release: () => rm(path, { force: true }) };
  await rm(path, { force: true });
  throw new JobFailure(
    'import_refused',
    `The uploaded file has the checksum ${checksum}, not ${file.checksum} as announced: upload it again. Nothing was changed.`,
  );
}

/** Removes the file that a crashed runner had downloaded. */
export const removeUploaded = (parts: Pick<DataJobParts, 'dataDirectory'>, spec: ImportSpec) =>
  removeBackupFile(uploadedPath(parts, spec));

/** The path is in the directory of the backups, with a name that no backup has. */
const uploadedPath = (
  { dataDirectory }: Pick<DataJobParts, 'dataDirectory'>,
  { importId, serviceId }: ImportSpec,
) => `${backupPath(dataDirectory, serviceId, importId)}.uploaded`;

async function refuseFullDisk(parts: DataJobParts, sizeBytes: number): Promise<void> {
  const space = await parts.readDiskSpace(parts.dataDirectory);
  if (!space || space.freeBytes >= sizeBytes) return;
  throw new JobFailure(
    'disk_full',
    `The uploaded file has ${sizeBytes} bytes, but only ${space.freeBytes} are free at ${parts.dataDirectory}: free disk space on the host. Nothing was changed.`,
  );
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
