import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { phaseNames } from '../../../protocol/job-report.ts';
import type { Initiator } from '../../domain/access/initiator.ts';
import { json, moment } from './columns.ts';
import { runners } from './runners.ts';
import { services } from './services.ts';

/**
 * Every unit of work of a host, of any kind: one row each; deployments, backups and imports refer to it. The
 * row is written before any frame is sent. Rules: domain/job-state.ts.
 */
export const jobs = sqliteTable(
  'jobs',
  {
    id: text('id').primaryKey(),
    kind: text('kind', {
      enum: ['deploy', 'backup', 'restore', 'import', 'drill', 'upgrade', 'run'],
    }).notNull(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    runnerId: text('runner_id')
      .notNull()
      .references(() => runners.id),
    state: text('state', { enum: ['queued', 'active', 'succeeded', 'failed', 'aborted'] }).notNull(),
    /** The runner's current phase. The hub writes `switch` when it grants the permission; after that the job can't be undone. */
    phase: text('phase', { enum: phaseNames }),
    /** Number of the attempt, increased by each claim; a report with another number changes nothing. */
    epoch: integer('epoch').notNull(),
    abortRequestedAt: moment('abort_requested_at'),
    /** The report that ended the job, which makes the end idempotent. */
    resultId: text('result_id'),
    /** The reason of a failure: one of protocol/job-report's failureCodes, and the message. */
    failureCode: text('failure_code'),
    failureMessage: text('failure_message'),
    /** Who started it; `null` for jobs from before this was recorded. */
    startedBy: json<Initiator>('started_by'),
    queuedAt: moment('queued_at').notNull(),
    claimedAt: moment('claimed_at'),
    deadlineAt: moment('deadline_at'),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('jobs_one_active_per_service')
      .on(table.serviceId)
      .where(sql`state = 'active' and kind <> 'run'`),
    index('jobs_runner_state').on(table.runnerId, table.state, table.queuedAt),
    index('jobs_open').on(table.state).where(sql`state in ('queued', 'active')`),
    index('jobs_service').on(table.serviceId, table.state),
    index('jobs_data_finished').on(table.serviceId, table.finishedAt).where(sql`kind <> 'deploy'`),
  ],
);
