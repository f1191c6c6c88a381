/** Facts that decide whether the log of a deployment or command is kept, and logs that still have to be removed. */
import { asc, inArray, sql } from 'drizzle-orm';
import { settingsOf } from '../../domain/instance/settings.ts';
import { type LogAge, newestWithLogs } from '../../domain/logs/log-retention.ts';
import { selectSettings } from '../instance/settings-store.ts';
import { logPurges, storedLogs } from '../schema/logs.ts';
import type { Database } from '../sql/database.ts';

/** @param ownerId the deployment or run @returns undefined if it has no row, because it was deleted */
export async function readLogAge(db: Database, ownerId: string): Promise<LogAge | undefined> {
  const [deployments, runs, settings] = await db.batch([
    selectAge(db, 'deployments', ownerId),
    selectAge(db, 'runs', ownerId),
    selectSettings(db),
  ]);
  const [row] = [...deployments, ...runs];
  if (!row) return undefined;
  const { status, ...age } = row;
  return { ...age, isLive: row.kind === 'deployments' && status === 'running', ...settingsOf(settings) };
}

function selectAge(db: Database, kind: 'deployments' | 'runs', ownerId: string) {
  const table = sql.identifier(kind);
  return db.all<{ kind: string; finishedAt: number | null; status: string; newer: number }>(sql`
    select ${kind} as kind, finished_at as finishedAt, status,
      (select count(*) from (select 1 from ${table} newer
        where newer.service_id = one.service_id and newer.created_at > one.created_at limit ${newestWithLogs})) as newer
    from ${table} one where id = ${ownerId}`);
}

export type LogPurge = typeof logPurges.$inferSelect;

/** Logs of deleted deployments whose object still has to be emptied, oldest first. @param after the last one of the previous page */
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
