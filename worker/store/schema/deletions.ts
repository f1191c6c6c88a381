import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/**
 * What was deleted and can still be restored: one row per call that deleted something. Its rows are in `deleted_rows`, so no other
 * statement can see them. No foreign keys: a deletion outlives what it was part of.
 */
export const deletions = sqliteTable(
  'deletions',
  {
    /** The deleted service, project, backup or volume. */
    resourceId: text('resource_id').primaryKey(),
    kind: text('kind', { enum: ['service', 'project', 'backup', 'volume'] }).notNull(),
    tenantId: text('tenant_id').notNull(),
    /** The project that it is or was in. */
    projectId: text('project_id').notNull(),
    /** The service that it is or was part of; null for projects. */
    serviceId: text('service_id'),
    /** The host of the service, backup or volume; null for projects. */
    runnerId: text('runner_id'),
    /** Names at the time of the deletion; those of the service for a backup or volume. */
    name: text('name').notNull(),
    projectName: text('project_name').notNull(),
    deletedAt: moment('deleted_at').notNull(),
    restorableUntil: moment('restorable_until').notNull(),
    /** Size of its rows in `deleted_rows`, in bytes. */
    rowBytes: integer('row_bytes').notNull().default(0),
    /** When the final removal began; from then on it can't be restored. Null: it is only kept. */
    purgingAt: moment('purging_at'),
  },
  (table) => [
    index('deletions_tenant').on(table.tenantId),
    index('deletions_tenant_deleted').on(table.tenantId, table.deletedAt),
    index('deletions_deleted').on(table.deletedAt),
    index('deletions_project').on(table.projectId),
    index('deletions_restorable_until').on(table.restorableUntil),
  ],
);

/** The rows of deleted resources, as JSON objects of their columns without those that are null (store/row-archive). */
export const deletedRows = sqliteTable(
  'deleted_rows',
  {
    /** Keeps the order of the original rows. */
    position: integer('position').primaryKey(),
    resourceId: text('resource_id')
      .notNull()
      .references(() => deletions.resourceId, { onDelete: 'cascade' }),
    /** Name of the table that the row was in. */
    source: text('source').notNull(),
    row: text('row').notNull(),
  },
  (table) => [
    index('deleted_rows_resource').on(table.resourceId, table.source),
    // Which deleted backups a key opens (store/backup-key-store).
    index('deleted_backups_key').on(sql`row ->> 'encrypted_with'`).where(sql`source = 'backups'`),
    // Whose deleted services a host keeps (store/runner-store).
    index('deleted_services_runner').on(sql`row ->> 'runner_id'`).where(sql`source = 'services'`),
  ],
);
