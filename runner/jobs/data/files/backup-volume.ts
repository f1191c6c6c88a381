/** Takes a backup of a service's volume: the archive, its verification, and the requested copies. */
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySecrets } from '../../../../protocol/job-spec.ts';
import { restoreContainerName } from '../../../../protocol/names.ts';
import type { VolumeBackupSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { removeContainer } from '../../../docker/containers.ts';
import { backupPath, removeBackupFile } from '../../../storage/backup-files.ts';
import type { Job, JobContext } from '../../job.ts';
import { takeBackup } from '../backup.ts';
import { quiescedIn, wake, whileQuiet } from './quiesce.ts';
import { volumeArchive } from './volume-archive.ts';
import { inHelper, type VolumeJobParts, volumeAttempt } from './volume-attempt.ts';

export function createVolumeBackupJob(parts: VolumeJobParts): Job<VolumeBackupSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    /** Wakes the service, and removes the file like that of a database. */
    async recover(spec, checkpoint, context) {
      const { serviceId, volume, backupId } = spec;
      await removeContainer(parts.docker, restoreContainerName(serviceId, 'loading', volume.id));
      await removeBackupFile(backupPath(parts.dataDirectory, serviceId, backupId));
      const quiesced = quiescedIn(checkpoint);
      if (quiesced) await wake({ parts, serviceId, context }, quiesced);
      throw new JobFailure(
        'runner_restarted',
        'The runner was restarted during the backup, and the unfinished backup was discarded: start another.',
      );
    },
  };
}

async function run(
  parts: VolumeJobParts,
  spec: VolumeBackupSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const { serviceId, backupId, quiesce } = spec;
  const path = backupPath(parts.dataDirectory, serviceId, backupId);
  try {
    const attempt = await volumeAttempt(parts, spec, context);
    attempt.enter('dump');
    const archive = volumeArchive((copy) => whileQuiet({ parts, serviceId, context }, quiesce, copy));
    return await inHelper(parts, spec, async (tools) => {
      const place = { tools, signal: context.signal, progress: attempt.progress, say: attempt.say };
      const work = { ...attempt, place, engine: { data: async () => ({ archive }) } };
      return await takeBackup(work, path, spec, secrets);
    });
  } catch (error) {
    await removeBackupFile(path);
    throw error;
  }
}
