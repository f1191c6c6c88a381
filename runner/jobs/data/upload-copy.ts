/** The copy of a backup in the control plane's bucket. */
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { WorkPlace } from '../../engines/archive/archive.ts';
import type { WrittenFile } from '../../storage/backup-files.ts';
import { copyAccess } from '../../storage/copy-requests.ts';
import { uploadBackup } from '../../storage/upload.ts';
import type { DataAttempt } from './data-attempt.ts';

/** @throws JobFailure `upload_failed`: then the bucket contains no part of the backup; the signal's reason */
export async function uploadCopy(
  attempt: Pick<DataAttempt, 'parts' | 'context' | 'enter'> & { place: WorkPlace },
  file: WrittenFile,
  token: string | undefined,
): Promise<void> {
  const { parts, place, context } = attempt;
  attempt.enter('upload');
  const progress = (done: number) => place.progress({ done, total: file.sizeBytes, unit: 'bytes' });
  progress(0);
  try {
    if (token === undefined)
      throw new Error('The control plane sent no token for the upload: update the control plane.');
    const { controlPlaneUrl } = parts;
    const access = copyAccess({ controlPlaneUrl, jobId: context.jobId, token, signal: place.signal });
    await uploadBackup(access, file, progress);
  } catch (error) {
    place.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new JobFailure(
      'upload_failed',
      `The backup could not be copied to the bucket: ${why} The backup was discarded.`,
      { cause: error },
    );
  }
  crashPoint('upload:done');
}
