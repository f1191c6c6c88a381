import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';
import { services } from './services.ts';

/** Volumes of services that are no databases. Their data is on the service's host. */
export const volumes = sqliteTable(
  'volumes',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Absolute path in the container. */
    mountPath: text('mount_path').notNull(),
    /** What it may hold, in units of 2^20 bytes; null: what the tenant's containers may write. */
    sizeMb: integer('size_mb'),
    /** What it holds, in units of 2^20 bytes, as last measured; null: not measured. */
    usedMb: integer('used_mb'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('volumes_service_name').on(table.serviceId, table.name),
    uniqueIndex('volumes_service_path').on(table.serviceId, table.mountPath),
  ],
);
