/** Takes a backup: the dump, its verification, and the requested copies. */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { BackupSpec, DeploySecrets } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { WorkPlace } from '../../engines/archive/archive.ts';
import { backupPath, removeBackupFile } from '../../storage/backup-files.ts';
import type { Job, JobContext } from '../job.ts';
import { type DataJobParts, dataAttempt } from './data-attempt.ts';
import { uploadCopy } from './upload-copy.ts';
import { archiveFacts, type BackupWork, ofDatabase, writeBackup } from './write-backup.ts';

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
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const path = backupPath(parts.dataDirectory, spec.serviceId, spec.backupId);
  try {
    const attempt = await dataAttempt(parts, spec, context);
    attempt.enter('dump');
    return await takeBackup({ ...ofDatabase(attempt), context }, path, spec, secrets);
  } catch (error) {
    await removeBackupFile(path);
    throw error;
  }
}

/**
 * Writes a backup of a database or a volume to this path, and creates the requested copies. The caller removes the file after a failure.
 * @throws the errors of `writeBackup` and `uploadCopy`
 */
export async function takeBackup<Place extends WorkPlace>(
  work: BackupWork<Place> & { context: JobContext },
  path: string,
  { toDisk, remoteKey }: Pick<BackupSpec, 'toDisk' | 'remoteKey'>,
  { transferToken }: DeploySecrets,
): Promise<JobResult> {
  const taken = await writeBackup(work, path);
  if (remoteKey !== null) await uploadCopy(work, taken.file, transferToken);
  if (!toDisk) await removeBackupFile(path);
  const copies = { localPath: toDisk ? path : null, remoteKey };
  return { outcome: 'succeeded', facts: { archive: archiveFacts(taken, copies) } };
}
