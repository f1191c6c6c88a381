import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/** Log streams whose object is to be emptied; drained by cron, a few a run (50 subrequests a request on the free plan). */
export const logPurges = sqliteTable('log_purges', {
  /** Name of the LogStream object: a deployment's id. */
  streamName: text('stream_name').primaryKey(),
  createdAt: moment('created_at').notNull(),
});
