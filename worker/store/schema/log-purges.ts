import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/** Log streams whose object must be emptied. Cron empties them in steps: each is a call to an object. */
export const logPurges = sqliteTable('log_purges', {
  /** Name of the LogStream object: the id of a deployment or run. */
  streamName: text('stream_name').primaryKey(),
  createdAt: moment('created_at').notNull(),
});
