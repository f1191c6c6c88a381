import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { JobProgress } from '../../../protocol/job-report.ts';
import { drillStates } from '../../domain/backups/drill-state.ts';
import { backups } from './backups.ts';
import { json, moment } from './columns.ts';
import { jobs } from './jobs.ts';
import { services } from './services.ts';

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
    /** Why it did not succeed. */
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
