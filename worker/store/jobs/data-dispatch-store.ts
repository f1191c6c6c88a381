/** The rows that a data job needs for dispatch, read together. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { backupKeys, backups, drills, imports, restores } from '../schema/backups.ts';
import { databaseUpgrades } from '../schema/database-upgrades.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { uploads } from '../schema/uploads.ts';
import { volumes } from '../schema/volumes.ts';
import { loginsOfTenant } from '../sources/registry-store.ts';
import type { Database } from '../sql/database.ts';
import { sharedHostColumns } from './dispatch-store.ts';

export type DataDispatchRows = NonNullable<Awaited<ReturnType<typeof findDataDispatch>>>;

/** @returns undefined if the job is not active, or no longer, or is no data job, or its service no longer exists */
export async function findDataDispatch(db: Database, jobId: string) {
  const restored = alias(backups, 'restored');
  const currentKey = alias(backupKeys, 'current_key');
  const [row] = await db
    .select({
      // Single columns, because D1 limits a result to 100 columns.
      job: jobs,
      service: {
        id: services.id,
        projectId: services.projectId,
        repoFullName: services.repoFullName,
        runtimeMode: services.runtimeMode,
        internalPort: services.internalPort,
      },
      project: {
        id: projects.id,
        tenantId: projects.tenantId,
        wrappedDataKey: projects.wrappedDataKey,
      },
      sealingKey: runners.sealingKey,
      registries: loginsOfTenant.as('registries'),
      host: sharedHostColumns,
      /** The key that encrypts the backup of the job. */
      currentKey: { id: currentKey.id, recipient: currentKey.recipient },
      /** The backup that the job takes. */
      backup: {
        id: backups.id,
        serviceId: backups.serviceId,
        storage: backups.storage,
        quiesce: backups.quiesce,
      },
      /** The volume that the job copies or replaces. */
      volume: { id: volumes.id, name: volumes.name, mountPath: volumes.mountPath, sizeMb: volumes.sizeMb },
      isOfVolume: sql<number>`coalesce(${backups.volumeId}, ${restored.volumeId}) is not null`.as(
        'is_of_volume',
      ),
      diskMb: sql<
        number | null
      >`(select quotas ->> 'containerDiskMb' from tenants where tenants.id = ${projects.tenantId})`.as(
        'disk_mb',
      ),
      restore: { id: restores.id, safetyBackupId: restores.safetyBackupId },
      import: {
        id: imports.id,
        source: imports.source,
        sealedSource: imports.sealedSource,
        safetyBackupId: imports.safetyBackupId,
        continueOnError: imports.continueOnError,
      },
      /** The upload of an import from a file. */
      upload: { sizeBytes: uploads.sizeBytes, checksum: uploads.checksum },
      drill: { id: drills.id },
      upgrade: {
        id: databaseUpgrades.id,
        action: databaseUpgrades.action,
        imageRef: databaseUpgrades.toImage,
        undoes: databaseUpgrades.undoes,
        acceptNotKept: databaseUpgrades.acceptNotKept,
        safetyBackupId: databaseUpgrades.safetyBackupId,
      },
      /** The backup that the job restores or tests. */
      restored: {
        id: restored.id,
        serviceId: restored.serviceId,
        status: restored.status,
        sizeBytes: restored.sizeBytes,
        checksum: restored.checksum,
        tables: restored.tables,
        rows: restored.rows,
        localPath: restored.localPath,
        remoteKey: restored.remoteKey,
        encryptedWith: restored.encryptedWith,
      },
    })
    .from(jobs)
    .innerJoin(services, eq(services.id, jobs.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(runners, eq(runners.id, jobs.runnerId))
    .leftJoin(currentKey, and(eq(currentKey.tenantId, projects.tenantId), isNull(currentKey.retiredAt)))
    .leftJoin(backups, eq(backups.jobId, jobs.id))
    .leftJoin(restores, eq(restores.jobId, jobs.id))
    .leftJoin(imports, eq(imports.jobId, jobs.id))
    .leftJoin(uploads, eq(uploads.importId, imports.id))
    .leftJoin(drills, eq(drills.jobId, jobs.id))
    .leftJoin(databaseUpgrades, eq(databaseUpgrades.jobId, jobs.id))
    .leftJoin(restored, eq(restored.id, sql`coalesce(${restores.backupId}, ${drills.backupId})`))
    .leftJoin(volumes, eq(volumes.id, sql`coalesce(${backups.volumeId}, ${restored.volumeId})`))
    .where(and(eq(jobs.id, jobId), eq(jobs.state, 'active')));
  return row;
}
