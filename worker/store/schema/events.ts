import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { eventTypes } from '../../domain/events.ts';
import { moment } from './columns.ts';

/**
 * The outbox of the event webhook. Rows are written in the same batch as the fact that they report, and only if a webhook is set. They have
 * no foreign keys, so that they outlive what they refer to.
 */
export const events = sqliteTable(
  'events',
  {
    id: text('id').primaryKey(),
    type: text('type', { enum: eventTypes }).notNull(),
    tenantId: text('tenant_id').notNull(),
    projectId: text('project_id').notNull(),
    /** Empty if the event is about a project, as is the name. */
    serviceId: text('service_id').notNull(),
    /** Names at the time of the event. */
    projectName: text('project_name').notNull(),
    serviceName: text('service_name').notNull(),
    /** The failed backup, restore or import; the backup that a drill could not verify; what was deleted, restored or purged; otherwise the service. */
    resourceId: text('resource_id').notNull(),
    /** Set for events of a backup or a drill. */
    trigger: text('trigger'),
    error: text('error'),
    /** Number of delivery attempts. */
    attempts: integer('attempts').notNull().default(0),
    /** Set by each claim, so that no other run takes the event before that time; null once delivered or given up. */
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
