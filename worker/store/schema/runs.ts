import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { commandContainers } from '../../../protocol/job-spec.ts';
import { runStates } from '../../domain/jobs/run-state.ts';
import { moment } from './columns.ts';
import { jobs } from './jobs.ts';
import { services } from './services.ts';

/** Commands that run once. */
export const runs = sqliteTable(
  'runs',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id),
    command: text('command').notNull(),
    timeLimitSeconds: integer('time_limit_seconds').notNull(),
    container: text('container', { enum: commandContainers }).notNull().default('new'),
    status: text('status', { enum: runStates }).notNull(),
    /** Exit code of a command that exited on its own. */
    exitCode: integer('exit_code'),
    /** The reason if it did not succeed. */
    error: text('error'),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('runs_service').on(table.serviceId, table.createdAt), index('runs_job').on(table.jobId)],
);
