/** Takes a backup: dump, proof, and the copies that were asked for. */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { BackupSpec } from '../../../protocol/job-spec.ts';
import { backupPath, removeBackupFile } from '../../storage/backup-files.ts';
import { type Job, type JobContext, JobFailure } from '../job.ts';
import { type DataJobParts, dataAttempt } from './data-attempt.ts';
import { archiveFacts, takeBackup } from './take-backup.ts';

export function createBackupJob(parts: DataJobParts): Job<BackupSpec> {
  return {
    run: (spec, _secrets, context) => run(parts, spec, context),
    /** Half a dump is none, and a whole one that nobody was told of is not missed. */
    async recover({ serviceId, backupId }) {
      await removeBackupFile(backupPath(parts.dataDirectory, serviceId, backupId));
      throw new JobFailure(
        'runner_restarted',
        'The runner was restarted during the backup: nothing of it is left; take another.',
      );
    },
  };
}

async function run(parts: DataJobParts, spec: BackupSpec, context: JobContext): Promise<JobResult> {
  const path = backupPath(parts.dataDirectory, spec.serviceId, spec.backupId);
  try {
    const attempt = await dataAttempt(parts, spec, context);
    attempt.enter('dump');
    const taken = await takeBackup(attempt, path);
    return {
      outcome: 'succeeded',
      facts: { archive: archiveFacts(taken, { localPath: path, remoteKey: null }) },
    };
  } catch (error) {
    await removeBackupFile(path);
    throw error;
  }
}
