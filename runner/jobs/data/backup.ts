/** Takes a backup: the dump, its verification, and the requested copies. */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { BackupSpec, DeploySecrets } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { backupPath, removeBackupFile, type WrittenFile } from '../../storage/backup-files.ts';
import { copyAccess } from '../../storage/copy-requests.ts';
import { uploadBackup } from '../../storage/upload.ts';
import type { Job, JobContext } from '../job.ts';
import { type DataAttempt, type DataJobParts, dataAttempt } from './data-attempt.ts';
import { archiveFacts, writeBackup } from './write-backup.ts';

export function createBackupJob(parts: DataJobParts): Job<BackupSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    /**
     * Removes the file: an unfinished dump is useless, and a finished one that was never reported can be taken again. The control plane
     * deletes an upload that has reached its bucket.
     */
    async recover({ serviceId, backupId }) {
      await removeBackupFile(backupPath(parts.dataDirectory, serviceId, backupId));
      throw new JobFailure(
        'runner_restarted',
        'The runner was restarted during the backup, and the unfinished backup was discarded: start another.',
      );
    },
  };
}

async function run(
  parts: DataJobParts,
  spec: BackupSpec,
  { transferToken }: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const { toDisk, remoteKey } = spec;
  const path = backupPath(parts.dataDirectory, spec.serviceId, spec.backupId);
  try {
    const attempt = await dataAttempt(parts, spec, context);
    attempt.enter('dump');
    const taken = await writeBackup(attempt, path);
    if (remoteKey !== null) await upload(attempt, taken.file, transferToken);
    if (!toDisk) await removeBackupFile(path);
    const copies = { localPath: toDisk ? path : null, remoteKey };
    return { outcome: 'succeeded', facts: { archive: archiveFacts(taken, copies) } };
  } catch (error) {
    await removeBackupFile(path);
    throw error;
  }
}

/** @throws JobFailure `upload_failed`: nothing of the backup is in the bucket then; the signal's reason */
async function upload(attempt: DataAttempt, file: WrittenFile, token: string | undefined): Promise<void> {
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
