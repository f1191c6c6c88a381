import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { json, moment } from './columns.ts';
import { runners } from './runners.ts';
import { services } from './services.ts';

/** Volumes of services other than databases. Their data is on the service's host. */
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
    /** Size limit in units of 2^20 bytes; `null`: the disk limit of the tenant's containers. */
    sizeMb: integer('size_mb'),
    /** Size of its data in units of 2^20 bytes, as last measured; `null` if not measured. */
    usedMb: integer('used_mb'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('volumes_service_name').on(table.serviceId, table.name),
    uniqueIndex('volumes_service_path').on(table.serviceId, table.mountPath),
  ],
);

/** Moves of services with volumes to another host. Each is a sequence of jobs, which the two hosts run one after another. */
export const volumeMoves = sqliteTable(
  'volume_moves',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    fromRunnerId: text('from_runner_id')
      .notNull()
      .references(() => runners.id),
    toRunnerId: text('to_runner_id')
      .notNull()
      .references(() => runners.id),
    /**
     * In order: the preparation of the image on the new host; after its success also backups on the old host, restores into the new host's
     * volumes, and the start there; after a failure also the restart on the old host.
     */
    jobIds: json<string[]>('job_ids').notNull(),
    volumeIds: json<string[]>('volume_ids').notNull(),
    status: text('status', { enum: ['running', 'succeeded', 'failed'] }).notNull(),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('volume_moves_running').on(table.serviceId).where(sql`status = 'running'`),
    index('volume_moves_service').on(table.serviceId),
    index('volume_moves_from').on(table.fromRunnerId),
    index('volume_moves_to').on(table.toRunnerId),
  ],
);
