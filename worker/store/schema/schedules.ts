import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { commandContainers } from '../../../protocol/job-spec.ts';
import { overlapRules } from '../../domain/commands/schedules.ts';
import { flag, moment } from './columns.ts';
import { runs } from './runs.ts';
import { services } from './services.ts';

/** Commands of services that cron starts. */
export const schedules = sqliteTable(
  'schedules',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    cron: text('cron').notNull(),
    /** IANA name. */
    timeZone: text('time_zone').notNull(),
    command: text('command').notNull(),
    timeLimitSeconds: integer('time_limit_seconds').notNull(),
    container: text('container', { enum: commandContainers }).notNull().default('new'),
    overlap: text('overlap', { enum: overlapRules }).notNull(),
    enabled: flag('enabled').notNull(),
    /** The next occurrence; `null` if disabled. */
    nextRunAt: moment('next_run_at'),
    /** Time of cron's next check: `nextRunAt`, or a minute later each time while an earlier command has to end first. */
    checkAt: moment('check_at'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('schedules_service_name').on(table.serviceId, table.name),
    index('schedules_check').on(table.checkAt),
  ],
);

/** The outcome of each occurrence of a schedule. */
export const occurrences = sqliteTable(
  'occurrences',
  {
    scheduleId: text('schedule_id')
      .notNull()
      .references(() => schedules.id, { onDelete: 'cascade' }),
    dueAt: moment('due_at').notNull(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    /** `null` if it was skipped. */
    runId: text('run_id').references(() => runs.id, { onDelete: 'cascade' }),
    /** Why it was skipped. */
    reason: text('reason'),
    /** Number of earlier occurrences that were missed during an outage. */
    missed: integer('missed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scheduleId, table.dueAt] }),
    index('occurrences_service').on(table.serviceId),
    index('occurrences_run').on(table.runId),
  ],
);
