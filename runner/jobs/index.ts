/** All kinds of jobs. Modules that only jobs need are loaded with the first job, because a runner is mostly idle. */
import type { DeploySpec, JobSpec } from '../../protocol/job-spec.ts';
import type { DrillJobParts } from './data/drill.ts';
import type { VolumeJobParts } from './data/files/volume-attempt.ts';
import type { ImportJobParts } from './data/import.ts';
import type { UpgradeJobParts } from './data/upgrade/upgrade-parts.ts';
import type { Job, JobRegistry } from './job.ts';
import type { DeployParts } from './parts/attempt.ts';

export type JobParts = DeployParts & ImportJobParts & DrillJobParts & UpgradeJobParts & VolumeJobParts;

export function createJobs(parts: JobParts): JobRegistry {
  const jobOf = async ({ source }: DeploySpec): Promise<Job<DeploySpec>> => {
    if (source.type === 'database') {
      const { createDatabaseJob } = await import('./database/deploy-database.ts');
      return createDatabaseJob(parts);
    }
    const { createDeployJob } = await import('./deploy/deploy.ts');
    return createDeployJob(parts);
  };
  return {
    deploy: {
      run: async (spec, ...rest) => (await jobOf(spec)).run(spec, ...rest),
      recover: async (spec, ...rest) => (await jobOf(spec)).recover(spec, ...rest),
    },
    backup: later(async () => (await import('./data/backup.ts')).createBackupJob(parts)),
    restore: later(async () => (await import('./data/restore.ts')).createRestoreJob(parts)),
    'volume-backup': later(async () =>
      (await import('./data/files/backup-volume.ts')).createVolumeBackupJob(parts),
    ),
    'volume-restore': later(async () =>
      (await import('./data/files/restore-volume.ts')).createVolumeRestoreJob(parts),
    ),
    'volume-drill': later(async () =>
      (await import('./data/files/drill-volume.ts')).createVolumeDrillJob(parts),
    ),
    'volume-fill': later(async () =>
      (await import('./data/files/fill-volume.ts')).createVolumeFillJob(parts),
    ),
    import: later(async () => (await import('./data/import.ts')).createImportJob(parts)),
    upgrade: later(async () => (await import('./data/upgrade/upgrade.ts')).createUpgradeJob(parts)),
    run: later(async () => (await import('./deploy/run-command.ts')).createRunJob(parts)),
    drill: later(async () => (await import('./data/drill.ts')).createDrillJob(parts)),
  };
}

/** Loads the job when it runs. */
const later = <Spec extends JobSpec>(load: () => Promise<Job<Spec>>): Job<Spec> => ({
  run: async (...of) => (await load()).run(...of),
  recover: async (...of) => (await load()).recover(...of),
});
