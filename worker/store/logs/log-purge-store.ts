/** Logs of deleted deployments whose object still has to be emptied. */
import { asc, inArray, sql } from 'drizzle-orm';
import { logPurges, storedLogs } from '../schema/logs.ts';
import type { Database } from '../sql/database.ts';

export type LogPurge = typeof logPurges.$inferSelect;

/** Streams that have waited longest. @param after the last one of the page before */
export function listLogPurges(db: Database, limit: number, after?: LogPurge): Promise<LogPurge[]> {
  const { createdAt, streamName } = logPurges;
  return db
    .select()
    .from(logPurges)
    .where(after && sql`(${createdAt}, ${streamName}) > (${after.createdAt}, ${after.streamName})`)
    .orderBy(asc(createdAt), asc(streamName))
    .limit(limit);
}

export async function removeLogPurges(db: Database, streamNames: string[]): Promise<void> {
  if (streamNames.length === 0) return;
  await db.batch([
    db.delete(logPurges).where(inArray(logPurges.streamName, streamNames)),
    db.delete(storedLogs).where(inArray(storedLogs.streamName, streamNames)),
  ]);
}
