import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { json, moment } from './columns.ts';

/** The last run of the scheduled work, which `/healthz` shows: one row, because the platform bills each written row. */
export const scheduledRuns = sqliteTable('scheduled_runs', {
  schedule: text('schedule', { enum: ['minute'] }).primaryKey(),
  startedAt: moment('started_at').notNull(),
  durationMs: integer('duration_ms').notNull(),
  /** Names of the parts that failed; they run again in the next minute. */
  failed: json<string[]>('failed').notNull(),
});
