import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { eventTypes } from '../../domain/events.ts';
import { moment } from './columns.ts';

/**
 * Outbox of the event webhook: written in one batch with the fact that it tells of, and only where a webhook is set. Nothing refers to
 * what it names, so that it outlives that.
 */
export const events = sqliteTable(
  'events',
  {
    id: text('id').primaryKey(),
    type: text('type', { enum: eventTypes }).notNull(),
    tenantId: text('tenant_id').notNull(),
    projectId: text('project_id').notNull(),
    serviceId: text('service_id').notNull(),
    /** Names of that moment. */
    projectName: text('project_name').notNull(),
    serviceName: text('service_name').notNull(),
    /** Of the backup, restore or import that failed; of the backup that a drill could not prove; of the service where there is none. */
    resourceId: text('resource_id').notNull(),
    /** Of a backup or a drill. */
    trigger: text('trigger'),
    error: text('error'),
    /** Deliveries begun. */
    attempts: integer('attempts').notNull().default(0),
    /** Raised by each claim, so that no other run takes it before that; null once it was delivered or given up. */
    nextAttemptAt: moment('next_attempt_at'),
    /** Why the last delivery failed. */
    lastFailure: text('last_failure'),
    deliveredAt: moment('delivered_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('events_next_attempt').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('events_created').on(table.createdAt),
  ],
);
