/** Logs of deleted deployments whose object still has to be emptied. */
import { asc, inArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { logPurges, storedLogs } from './schema/logs.ts';

/** Names of the streams that have waited longest. */
export async function listLogPurges(db: Database, limit: number): Promise<string[]> {
  const rows = await db.select().from(logPurges).orderBy(asc(logPurges.createdAt)).limit(limit);
  return rows.map((row) => row.streamName);
}

export async function removeLogPurges(db: Database, streamNames: string[]): Promise<void> {
  if (streamNames.length === 0) return;
  await db.batch([
    db.delete(logPurges).where(inArray(logPurges.streamName, streamNames)),
    db.delete(storedLogs).where(inArray(storedLogs.streamName, streamNames)),
  ]);
}
