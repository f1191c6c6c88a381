import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { importSources } from '../../../protocol/import-source.ts';
import type { JobProgress } from '../../../protocol/job-report.ts';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import { backupFormats, backupTriggers, storages } from '../../domain/backups/backup-format.ts';
import { drillStates } from '../../domain/backups/drill-state.ts';
import { flag, json, moment, sealedText } from './columns.ts';
import { jobs } from './jobs.ts';
import { services } from './services.ts';
import { tenants } from './tenants.ts';

export const backups = sqliteTable(
  'backups',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id').references(() => jobs.id),
    /** A database's engine, or `volume`. */
    engine: text('engine').notNull(),
    /** The volume in the backup; `null` for a database. The volume may be deleted since. */
    volumeId: text('volume_id'),
    /** What the service does while its volume is copied; `null` for a database. */
    quiesce: json<Quiesce>('quiesce'),
    status: text('status', { enum: ['running', 'succeeded', 'failed'] }).notNull(),
    trigger: text('trigger', { enum: backupTriggers }).notNull(),
    storage: text('storage', { enum: storages }).notNull(),
    format: text('format', { enum: backupFormats }).notNull(),
    localPath: text('local_path'),
    remoteKey: text('remote_key'),
    sizeBytes: integer('size_bytes').notNull(),
    /** `sha256:<hex>`; empty while running. */
    checksum: text('checksum').notNull(),
    /** The key that encrypts the file (`backupKeys`); `null` if it is not encrypted. */
    encryptedWith: text('encrypted_with'),
    /** Contents of the dump, counted in the dump itself; `null` until that is done. */
    tables: integer('tables'),
    rows: integer('rows'),
    /** Parts of the database that the backup does not contain, one sentence each; `null` if there are none. */
    notKept: json<string[]>('not_kept'),
    /** Progress of the running job. */
    progress: json<JobProgress>('progress'),
    error: text('error'),
    /** Time at which a restore drill of this backup last succeeded. */
    lastProvenAt: moment('last_proven_at'),
    /**
     * Until this time a deletion has claimed the backup and nothing else can start with it; `null` without a claim. Claims of dead
     * deletions expire.
     */
    removingUntil: moment('removing_until'),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('backups_service').on(table.serviceId, table.createdAt),
    index('backups_job').on(table.jobId),
    index('backups_encrypted').on(table.encryptedWith).where(sql`encrypted_with is not null`),
    index('backups_failed_of_service').on(table.serviceId).where(sql`status = 'failed'`),
    index('backups_failed').on(table.createdAt).where(sql`status = 'failed'`),
  ],
);

/** Restores into the backup's own service, or into another one with the same engine. */
export const restores = sqliteTable(
  'restores',
  {
    id: text('id').primaryKey(),
    backupId: text('backup_id')
      .notNull()
      .references(() => backups.id, { onDelete: 'cascade' }),
    /** The target service. */
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id),
    /** The backup of the replaced data; empty if the restore failed without one. */
    safetyBackupId: text('safety_backup_id').notNull(),
    status: text('status', { enum: ['running', 'succeeded', 'failed'] }).notNull(),
    progress: json<JobProgress>('progress'),
    error: text('error'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('restores_backup').on(table.backupId, table.createdAt),
    index('restores_job').on(table.jobId),
    index('restores_service').on(table.serviceId),
  ],
);

/** Settings of every database, and of every service with volumes, that had a backup or whose settings were changed. */
export const backupSettings = sqliteTable(
  'backup_settings',
  {
    serviceId: text('service_id')
      .primaryKey()
      .references(() => services.id, { onDelete: 'cascade' }),
    storage: text('storage', { enum: storages }).notNull(),
    automaticEnabled: flag('automatic_enabled').notNull(),
    dailyEnabled: flag('daily_enabled').notNull(),
    weeklyEnabled: flag('weekly_enabled').notNull(),
    monthlyEnabled: flag('monthly_enabled').notNull(),
    drill: text('drill', { enum: ['weekly', 'off'] }).notNull(),
    /** What a service does while its volumes are copied; `null` for nothing, and for databases. */
    quiesce: json<Quiesce>('quiesce'),
    /** Time of cron's next check for due, missed and expired backups. */
    nextCheckAt: moment('next_look_at').notNull().default(0),
    /** Due time of the last scheduled backup that was reported as missed, so that each is reported once per period. */
    notedDueAt: moment('noted_due_at').notNull().default(0),
    /** Start of the last restore drill that was recorded in the audit log as skipped. */
    notedDrillAt: moment('noted_drill_at').notNull().default(0),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('backup_settings_next_look').on(table.nextCheckAt)],
);

export const imports = sqliteTable(
  'imports',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id').references(() => jobs.id),
    engine: text('engine').notNull(),
    source: text('source', { enum: importSources }).notNull(),
    /** Host and database of the source, without credentials. */
    sourceLabel: text('source_label').notNull(),
    /** The sealed source URL until the job has ended, then null. */
    sealedSource: sealedText('sealed_source'),
    status: text('status', { enum: ['running', 'succeeded', 'failed'] }).notNull(),
    /** The backup of the replaced data. `null` if nothing may be replaced, or if the import failed without one. */
    safetyBackupId: text('safety_backup_id'),
    /** Whether to continue after an object of the file that can't be loaded. */
    continueOnError: flag('continue_on_error').notNull().default(false),
    /** Parts of the file that the database refused, one sentence each; `null` if there are none. */
    skipped: json<string[]>('skipped'),
    progress: json<JobProgress>('progress'),
    error: text('error'),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('imports_service').on(table.serviceId, table.createdAt),
    index('imports_job').on(table.jobId),
  ],
);

/** Restore drills: a backup is loaded into a temporary container, counted, and deleted again. The states are explained in domain/drill-state.ts. */
export const drills = sqliteTable(
  'drills',
  {
    id: text('id').primaryKey(),
    backupId: text('backup_id')
      .notNull()
      .references(() => backups.id, { onDelete: 'cascade' }),
    /** The backup's service. */
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id),
    trigger: text('trigger', { enum: ['manual', 'weekly'] }).notNull(),
    status: text('status', { enum: drillStates }).notNull(),
    progress: json<JobProgress>('progress'),
    /** The reason if it did not succeed. */
    error: text('error'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('drills_backup').on(table.backupId, table.createdAt),
    index('drills_service').on(table.serviceId, table.createdAt),
    index('drills_job').on(table.jobId),
  ],
);

/** Keys that encrypt a tenant's backups. A retired one remains while a backup needs it. */
export const backupKeys = sqliteTable(
  'backup_keys',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** `age1...`, for encryption. Not a secret. */
    recipient: text('recipient').notNull(),
    /** `AGE-SECRET-KEY-1...`, for decryption. */
    sealedIdentity: sealedText('sealed_identity').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Time since which it encrypts no new backup; `null` if it encrypts all. */
    retiredAt: moment('retired_at'),
  },
  (table) => [
    uniqueIndex('backup_keys_current').on(table.tenantId).where(sql`retired_at is null`),
    index('backup_keys_tenant').on(table.tenantId),
    index('backup_keys_tenant_created').on(table.tenantId, table.createdAt),
  ],
);
