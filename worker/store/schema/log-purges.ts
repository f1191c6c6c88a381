import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/** Log streams whose object must be emptied. Cron empties a few per run (50 subrequests per request on the free plan). */
export const logPurges = sqliteTable('log_purges', {
  /** Name of the LogStream object: a deployment's id. */
  streamName: text('stream_name').primaryKey(),
  createdAt: moment('created_at').notNull(),
});
