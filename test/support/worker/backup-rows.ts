/** A database, or a service with volumes, with backups only as rows: there is no host, and its reports are written directly. */
import { asc, eq } from 'drizzle-orm';
import { newId } from '../../../protocol/ids.ts';
import type { BackupRow, BackupSettingsRow } from '../../../worker/store/backups/backup-store.ts';
import { endDataJob } from '../../../worker/store/jobs/data-job-store.ts';
import { findJob } from '../../../worker/store/jobs/job-store.ts';
import { auditLog } from '../../../worker/store/schema/audit.ts';
import { backupSettings, backups } from '../../../worker/store/schema/backups.ts';
import { volumes } from '../../../worker/store/schema/volumes.ts';
import { defaultBackupSettings } from '../../../worker/usecases/backups/list-backups.ts';
import { deps, insertProject, insertRunner, insertService } from './api.ts';
import { insertDeploymentOf } from './deployment-rows.ts';

export interface DatabaseOptions {
  isDeployed?: boolean;
  tenantId?: string;
  createdAt?: number;
  /** Names of volumes: not a database. They existed before its deployment. */
  volumes?: string[];
}

const failure = { code: 'dump_failed', message: 'The disk is full.' };
const archive = {
  sizeBytes: 1,
  checksum: `sha256:${'0'.repeat(64)}`,
  localPath: null,
  remoteKey: null,
  tables: 1,
  rows: 1,
};

/** @param changes of its settings, with which no backup is taken */
export async function databaseWithBackups(
  changes: Partial<BackupSettingsRow> = {},
  { isDeployed = true, tenantId = 'default', createdAt = 0, volumes: names }: DatabaseOptions = {},
) {
  const project = await insertProject({ tenantId });
  const runner = await insertRunner();
  const service = await insertService({
    projectId: project.id,
    runnerId: runner.id,
    ...(names ? { kind: 'image' } : { kind: 'database', repoFullName: 'database:postgres' }),
    generatedHostname: null,
    lastDeployedAt: isDeployed ? 1 : null,
  });
  if (isDeployed) {
    const isOver = { finishedAt: 1 };
    await insertDeploymentOf(service.id, {
      job: { state: 'succeeded', ...isOver },
      deployment: { status: 'running', ...isOver },
    });
  }
  const mounted = (names ?? []).map((name, at) => ({
    ...{ id: newId('volume', deps.fillRandom), serviceId: service.id, name, mountPath: `/srv/${name}` },
    ...{ createdAt: at / 100, updatedAt: 0 },
  }));
  if (mounted.length > 0) await deps.db.insert(volumes).values(mounted);
  const row = defaultBackupSettings({ id: service.id, createdAt });
  await deps.db.insert(backupSettings).values({ ...row, ...changes });
  const taken = () =>
    deps.db.select().from(backups).where(eq(backups.serviceId, service.id)).orderBy(asc(backups.createdAt));
  return {
    service,
    runner,
    /** Names of volumes by their ids. */
    nameOf: (volumeId: string | null) => mounted.find(({ id }) => id === volumeId)?.name,
    taken,
    triggers: async () => (await taken()).map(({ trigger }) => trigger),
    /** Ends them like a report of its host. @returns the backups that were running */
    async end(state: 'succeeded' | 'failed' | 'aborted') {
      const running = (await taken()).filter(({ status }) => status === 'running');
      for (const { jobId, createdAt } of running) {
        const found = await findJob(deps.db, jobId ?? '');
        const end = {
          facts: state === 'succeeded' ? { archive } : {},
          failure: state === 'failed' ? failure : null,
        };
        if (found) await endDataJob(deps.db, found.job, { state, at: createdAt, resultId: null, ...end });
      }
      return running;
    },
    insert: (fields: Partial<BackupRow> & Pick<BackupRow, 'trigger' | 'createdAt'>) =>
      deps.db.insert(backups).values({
        id: newId('backup', deps.fillRandom),
        serviceId: service.id,
        engine: 'postgres',
        status: 'succeeded',
        storage: 'disk',
        format: 'custom',
        sizeBytes: 1,
        checksum: 'sha256:',
        startedAt: fields.createdAt,
        ...fields,
      }),
    /** The entries of the audit log about it and its backups. */
    async noted() {
      const ids = [service.id, ...(await taken()).map(({ id }) => id)];
      const entries = await deps.db.select().from(auditLog).where(eq(auditLog.actor, 'system'));
      return entries.filter(({ resourceId }) => ids.includes(resourceId ?? ''));
    },
  };
}
