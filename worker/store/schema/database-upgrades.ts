import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { JobProgress } from '../../../protocol/job-report.ts';
import { flag, json, moment } from './columns.ts';
import { jobs } from './jobs.ts';
import { services } from './services.ts';

/** Upgrades of a database to another version of its engine, dry runs of upgrades, and undos. */
export const databaseUpgrades = sqliteTable(
  'database_upgrades',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id),
    action: text('action', { enum: ['dry-run', 'upgrade', 'undo'] }).notNull(),
    fromImage: text('from_image').notNull(),
    toImage: text('to_image').notNull(),
    /** The upgrade that this one undoes; `null` if this is no undo. */
    undoes: text('undoes'),
    /** Whether the upgrade continues without the parts that a backup does not contain. */
    acceptNotKept: flag('accept_not_kept').notNull(),
    /** The backup of the previous data; `null` if none was taken. */
    safetyBackupId: text('safety_backup_id'),
    status: text('status', { enum: ['running', 'succeeded', 'failed'] }).notNull(),
    progress: json<JobProgress>('progress'),
    error: text('error'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('database_upgrades_service').on(table.serviceId, table.createdAt),
    index('database_upgrades_job').on(table.jobId),
  ],
);
