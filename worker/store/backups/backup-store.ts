/** Backups and restores, for clients that read and start them. data-job-store writes the reports of hosts. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { JobKind } from '../../../protocol/job-spec.ts';
import type { Initiator } from '../../domain/access/initiator.ts';
import { type KeyScope, visible } from '../projects/project-store.ts';
import { usedBackupBytes } from '../projects/tenant-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { backupSettings, backups, restores } from '../schema/backups.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { inScope } from '../sql/scoped-store.ts';
import { startedByOf } from '../sql/started-by.ts';
import { isKept } from './backup-removal-store.ts';

export type BackupRow = typeof backups.$inferSelect;
/** A backup and who started it; `null` if that is not recorded. */
export type StartedBackup = BackupRow & { startedBy: Initiator | null };
export type RestoreRow = typeof restores.$inferSelect & { startedBy: Initiator | null };
export type BackupSettingsRow = typeof backupSettings.$inferSelect;

/**
 * Condition on `services`: the service has a data job that has not ended. Drills only block other drills, because they are aborted when
 * anything else is queued (claim-store).
 */
const hasOpenDataJob = (
  kind: JobKind,
) => sql`exists (select 1 from jobs open where open.service_id = services.id
  and open.kind not in ('deploy', 'run') and (open.kind <> 'drill' or ${kind} = 'drill') and open.state in ('queued', 'active'))`;

const isDeployed = sql`exists (select 1 from deployments live where live.service_id = services.id and live.status = 'running')`;

/** Condition on `services`: the tenant has used up its backup quota. It does not apply to the safety copy of a restore. */
const hasNoRoom = sql`exists (select 1 from projects join tenants on tenants.id = projects.tenant_id
  where projects.id = services.project_id and tenants.quotas ->> 'backupBytes' is not null
  and ${usedBackupBytes} >= tenants.quotas ->> 'backupBytes')`;

/** Condition on `services` and its host `runners`: a job on the data can be queued. */
const isFreeFor = (
  kind: JobKind,
) => sql`(runners.revoked_at is null and ${isDeployed} and not ${hasOpenDataJob(kind)}
  and not (${kind} = 'backup' and ${hasNoRoom}))`;

/** Whether a data job would be queued now; checked before work that is hard to undo. */
export async function wouldQueue(
  db: Database,
  { kind, serviceId }: { kind: JobKind; serviceId: string },
): Promise<boolean> {
  const rows = await db.all(sql`select 1 from services join runners on runners.id = services.runner_id
    where services.id = ${serviceId} and ${isFreeFor(kind)}`);
  return rows.length > 0;
}

/**
 * Queues a data job on the service's host, if the service is deployed and no other job uses its data.
 * @param onlyIf additional condition
 */
export function queueDataJob(
  db: Database,
  job: {
    id: string;
    kind: Exclude<JobKind, 'deploy' | 'run'>;
    serviceId: string;
    startedBy: Initiator;
    at: number;
  },
  onlyIf: SQL = sql`1`,
) {
  return db.all<{
    runnerId: string;
  }>(sql`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, started_by)
    select ${job.id}, ${job.kind}, services.id, runners.id, 'queued', 0, ${job.at}, ${JSON.stringify(job.startedBy)}
    from services join runners on runners.id = services.runner_id
    where services.id = ${job.serviceId} and ${isFreeFor(job.kind)} and ${onlyIf}
    returning runner_id as runnerId`);
}

export type NewBackup = Pick<
  BackupRow,
  'id' | 'serviceId' | 'engine' | 'volumeId' | 'quiesce' | 'trigger' | 'storage' | 'format' | 'createdAt'
> & {
  jobId: string;
  /** Who started its job. */
  startedBy: Initiator;
};

/** Inserts the row of a running backup if its job was queued. */
export function insertRunningBackup(db: Database, backup: NewBackup) {
  const { id, jobId, serviceId, engine, volumeId, trigger, storage, format, createdAt } = backup;
  const quiesce = backup.quiesce && JSON.stringify(backup.quiesce);
  return db.run(sql`insert into backups (id, service_id, job_id, engine, volume_id, quiesce, status, trigger, storage, format, size_bytes,
      checksum, created_at, started_at)
    select ${id}, ${serviceId}, jobs.id, ${engine}, ${volumeId}, ${quiesce}, 'running', ${trigger}, ${storage}, ${format}, 0, '', ${createdAt}, ${createdAt}
    from jobs where jobs.id = ${jobId}`);
}

/** Creates default settings with the first backup, so that cron deletes the database's old backups. */
export function insertDefaultSettings(db: Database, { jobId, serviceId, createdAt }: NewBackup) {
  return db.run(sql`insert into backup_settings (service_id, storage, automatic_enabled, daily_enabled, weekly_enabled,
      monthly_enabled, drill, next_look_at, noted_due_at, created_at, updated_at)
    select ${serviceId}, 'disk', 0, 0, 0, 0, 'off', ${createdAt}, 0, ${createdAt}, ${createdAt} from jobs where jobs.id = ${jobId}
    on conflict do nothing`);
}

/**
 * @returns the host; undefined if the service is not deployed, its host is revoked, another job uses its data, or its tenant has used up
 *   its quota
 */
export async function insertBackup(db: Database, backup: NewBackup): Promise<string | undefined> {
  const { jobId, serviceId, startedBy, createdAt } = backup;
  const [[job]] = await db.batch([
    queueDataJob(db, { id: jobId, kind: 'backup', serviceId, startedBy, at: createdAt }),
    insertRunningBackup(db, backup),
    insertDefaultSettings(db, backup),
  ]);
  return job?.runnerId;
}

export interface NewRestore {
  id: string;
  backupId: string;
  jobId: string;
  /** The safety copy of the target service's current data. */
  safety: NewBackup;
}

/** @returns the target service's host; undefined as for `insertBackup`, and if the backup no longer exists or is being deleted */
export async function insertRestore(
  db: Database,
  { id, backupId, jobId, safety }: NewRestore,
): Promise<string | undefined> {
  const { serviceId, startedBy, createdAt } = safety;
  const [[job]] = await db.batch([
    queueDataJob(
      db,
      { id: jobId, kind: 'restore', serviceId, startedBy, at: createdAt },
      isKept(backupId, createdAt),
    ),
    insertRunningBackup(db, safety),
    insertDefaultSettings(db, safety),
    db.run(sql`insert into restores (id, backup_id, service_id, job_id, safety_backup_id, status, created_at)
      select ${id}, ${backupId}, ${serviceId}, jobs.id, ${safety.id}, 'running', ${createdAt} from jobs where jobs.id = ${jobId}`),
  ]);
  return job?.runnerId;
}

const backupColumns = { ...getTableColumns(backups), startedBy: startedByOf(backups.jobId) };
const restoreColumns = { ...getTableColumns(restores), startedBy: startedByOf(restores.jobId) };

/** A page of a service's backups, newest first. */
export function selectBackups(db: Database, serviceId: string | SQL, page: Page) {
  const { after, orderBy, limit } = keysetOf(backupOrder, 'newest', page);
  return db
    .select(backupColumns)
    .from(backups)
    .where(and(eq(backups.serviceId, serviceId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** The last restore of each backup of the page. */
export function selectRestores(db: Database, serviceId: string | SQL, page: Page) {
  return db
    .select(restoreColumns)
    .from(restores)
    .where(isLastOfPage('restores', serviceId, page));
}

const backupOrder = { at: backups.createdAt, key: backups.id };

/** Condition: the newest row of this table for a backup of the page. */
export function isLastOfPage(table: 'restores' | 'drills', serviceId: string | SQL, page: Page): SQL {
  const { after, orderBy, limit } = keysetOf(backupOrder, 'newest', page);
  return sql`${sql.raw(table)}.id in (select (select last.id from ${sql.raw(table)} last where last.backup_id = backups.id
      order by last.created_at desc, last.rowid desc limit 1)
    from backups where backups.service_id = ${serviceId} and ${after} order by ${sql.join(orderBy, sql`, `)} limit ${limit})`;
}

export const selectBackupSettings = (db: Database, serviceId: string | SQL) =>
  db.select().from(backupSettings).where(eq(backupSettings.serviceId, serviceId));

/** Writes the given settings; others do not change. */
export function upsertBackupSettings(
  db: Database,
  row: BackupSettingsRow,
  changes: Partial<BackupSettingsRow>,
) {
  return db
    .insert(backupSettings)
    .values({ ...row, ...changes })
    .onConflictDoUpdate({
      target: backupSettings.serviceId,
      set: { ...changes, nextCheckAt: row.nextCheckAt, updatedAt: row.updatedAt },
    });
}

export async function findBackup(db: Database, backupId: string): Promise<StartedBackup | undefined> {
  const [row] = await db.select(backupColumns).from(backups).where(eq(backups.id, backupId));
  return row;
}

export async function findRestore(db: Database, restoreId: string): Promise<RestoreRow | undefined> {
  const [row] = await db.select(restoreColumns).from(restores).where(eq(restores.id, restoreId));
  return row;
}

/** The running restore of this backup. */
export async function findOpenRestore(db: Database, backupId: string): Promise<RestoreRow | undefined> {
  const [row] = await db
    .select(restoreColumns)
    .from(restores)
    .where(and(eq(restores.backupId, backupId), eq(restores.status, 'running')))
    .limit(1);
  return row;
}

/** A service that the key can access, as the target of a restore. */
export async function findVisibleService(db: Database, scope: KeyScope, serviceId: string) {
  const [row] = await db
    .select({ service: services })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .where(and(eq(services.id, serviceId), visible(db, scope)));
  return row?.service;
}

/** A backup of this service; backups of other services are not found. */
export function selectScopedBackup(db: Database, tokenId: string, serviceId: string, backupId: string) {
  return db
    .select({
      backup: columnsAs(backups, 'backup'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(backups)
    .innerJoin(services, eq(services.id, backups.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(and(eq(backups.id, backupId), eq(services.id, serviceId)))
    .limit(1);
}
