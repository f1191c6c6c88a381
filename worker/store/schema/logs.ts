import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { DrainTarget } from '../../../protocol/logs/drains.ts';
import { logLevels } from '../../../protocol/logs/log-levels.ts';
import { flag, moment, sealedText } from './columns.ts';

/** Log streams whose object must be emptied. Cron empties them in steps, because each is a call to an object. */
export const logPurges = sqliteTable('log_purges', {
  /** Name of the LogStream object: the id of a deployment or run. */
  streamName: text('stream_name').primaryKey(),
  createdAt: moment('created_at').notNull(),
});

/**
 * Storage of the logs of deployments and commands that have ended. A row outlives the deployment until its log is emptied, so it has no
 * foreign key. Triggers add up the bytes of each tenant (migrations/README.md).
 */
export const storedLogs = sqliteTable(
  'stored_logs',
  {
    /** Name of the LogStream object: the id of a deployment or run. */
    streamName: text('stream_name').primaryKey(),
    tenantId: text('tenant_id').notNull(),
    /** Bytes of the object on disk; 0 if the lines are only in the archive. */
    bytes: integer('bytes').notNull(),
    /** Bytes of the copy in the bucket; 0 without one. */
    archivedBytes: integer('archived_bytes').notNull().default(0),
    /** End of the deployment or command. */
    endedAt: moment('ended_at').notNull(),
  },
  (table) => [index('stored_logs_archived').on(table.endedAt).where(sql`archived_bytes > 0`)],
);

/**
 * Receivers to which hosts send the output of a project's services. No foreign key, so that they exist again when their project is
 * restored. They are removed when the project can't be restored any more.
 */
export const logDrains = sqliteTable(
  'log_drains',
  {
    id: text('id').primaryKey(),
    projectId: text('project_id').notNull(),
    name: text('name').notNull(),
    kind: text('kind').$type<DrainTarget['kind']>().notNull(),
    /** The part of the receiver's address that may be shown. */
    target: text('target').notNull(),
    /** The receiver (`DrainTarget`), with its secrets. */
    sealedTarget: sealedText('sealed_target').notNull(),
    /** The least severe level to send; `null` for all lines. */
    level: text('level', { enum: logLevels }),
    enabled: flag('enabled').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('log_drains_project').on(table.projectId, table.createdAt)],
);
