/** Takes a backup: the dump, its verification, and the requested copies. */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { BackupSpec, DeploySecrets } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { backupPath, removeBackupFile } from '../../storage/backup-files.ts';
import type { Job, JobContext } from '../job.ts';
import { type DataJobParts, dataAttempt } from './data-attempt.ts';
import { uploadCopy } from './upload-copy.ts';
import { archiveFacts, ofDatabase, writeBackup } from './write-backup.ts';

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
    const taken = await writeBackup(ofDatabase(attempt), path);
    if (remoteKey !== null) await uploadCopy(attempt, taken.file, transferToken);
    if (!toDisk) await removeBackupFile(path);
    const copies = { localPath: toDisk ? path : null, remoteKey };
    return { outcome: 'succeeded', facts: { archive: archiveFacts(taken, copies) } };
  } catch (error) {
    await removeBackupFile(path);
    throw error;
  }
}
