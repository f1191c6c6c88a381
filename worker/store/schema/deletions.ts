import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/**
 * Deletions that can still be undone: one row per call that deleted something. The deleted rows are in `deleted_rows`, where no
 * other statement sees them. No foreign keys, because a deletion outlives the project or service that it belonged to.
 */
export const deletions = sqliteTable(
  'deletions',
  {
    /** The deleted service, project, backup or volume. */
    resourceId: text('resource_id').primaryKey(),
    kind: text('kind', { enum: ['service', 'project', 'backup', 'volume'] }).notNull(),
    tenantId: text('tenant_id').notNull(),
    /** The project that the resource is or was in. */
    projectId: text('project_id').notNull(),
    /** The service that the resource is or was part of; `null` for projects. */
    serviceId: text('service_id'),
    /** The host of the service, backup or volume; `null` for projects. */
    runnerId: text('runner_id'),
    /** Names at the time of the deletion; for a backup or volume, those of the service. */
    name: text('name').notNull(),
    projectName: text('project_name').notNull(),
    deletedAt: moment('deleted_at').notNull(),
    restorableUntil: moment('restorable_until').notNull(),
    /** Size of its rows in `deleted_rows`, in bytes. */
    rowBytes: integer('row_bytes').notNull().default(0),
    /** Start of the permanent removal, after which the deletion can't be undone. `null` before that. */
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

/** The rows of deleted resources, as JSON objects of their columns except null values (store/row-archive). */
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
    // Finds the deleted backups that a key decrypts (store/backup-key-store).
    index('deleted_backups_key').on(sql`row ->> 'encrypted_with'`).where(sql`source = 'backups'`),
    // Finds the tenants whose deleted services a host stores (store/runner-store).
    index('deleted_services_runner').on(sql`row ->> 'runner_id'`).where(sql`source = 'services'`),
  ],
);
