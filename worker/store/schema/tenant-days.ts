import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { tenants } from './tenants.ts';

/** A tenant's use on one day (UTC), for its daily limits. Written when a deployment ends. */
export const tenantDays = sqliteTable(
  'tenant_days',
  {
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    /** Number of the day since the epoch. */
    day: integer('day').notNull(),
    /** Duration of builds in milliseconds, from their claim to their end. */
    buildMs: integer('build_ms').notNull(),
    /** Bytes of build logs. */
    logBytes: integer('log_bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.day] })],
);

/** Requests to objects of logs on one day (UTC), of all tenants together: an estimate, because only samples are written. */
export const objectDays = sqliteTable('object_days', {
  /** Number of the day since the epoch. */
  day: integer('day').primaryKey(),
  requests: integer('requests').notNull(),
});
