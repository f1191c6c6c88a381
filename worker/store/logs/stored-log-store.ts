/** Storage of ended logs: bytes in their objects, and copies in the bucket. */
import { and, asc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { storedLogs } from '../schema/logs.ts';
import type { Database } from '../sql/database.ts';

const isArchived = gt(storedLogs.archivedBytes, 0);

/** The tenant of the log's deployment or command, and its end; no row after it was deleted. */
function selectOwner(streamName: string, at: number): SQL {
  const of = (table: 'deployments' | 'runs') => sql`
    select projects.tenant_id, coalesce(one.finished_at, ${at}) as ended_at from ${sql.identifier(table)} one
      join services on services.id = one.service_id join projects on projects.id = services.project_id
    where one.id = ${streamName}`;
  return sql`(${of('deployments')} union all ${of('runs')})`;
}

/** Stores how many bytes the log's object has on disk. Repeats change nothing. */
export async function countStoredLog(
  db: Database,
  { streamName, bytes, at }: { streamName: string; bytes: number; at: number },
): Promise<void> {
  await db.run(sql`insert into stored_logs (stream_name, tenant_id, bytes, ended_at)
    select ${streamName}, tenant_id, ${bytes}, ended_at from ${selectOwner(streamName, at)} where true
    on conflict (stream_name) do update set bytes = excluded.bytes where bytes <> excluded.bytes`);
}

/**
 * Stores that a copy is about to be written to the bucket.
 * @returns false if the deployment was deleted: nothing would remove the copy
 */
export async function noteArchivedLog(
  db: Database,
  { streamName, archivedBytes, at }: { streamName: string; archivedBytes: number; at: number },
): Promise<boolean> {
  const rows =
    await db.all(sql`insert into stored_logs (stream_name, tenant_id, bytes, archived_bytes, ended_at)
    select ${streamName}, tenant_id, 0, ${archivedBytes}, ended_at from ${selectOwner(streamName, at)} where true
    on conflict (stream_name) do update set archived_bytes = excluded.archived_bytes returning stream_name`);
  return rows.length > 0;
}

/** Stores that the log's object is empty. @returns whether it has a copy in the bucket */
export async function noteEmptiedLog(db: Database, streamName: string): Promise<boolean> {
  const [kept] = await db.batch([
    db
      .update(storedLogs)
      .set({ bytes: 0 })
      .where(and(eq(storedLogs.streamName, streamName), isArchived))
      .returning({ streamName: storedLogs.streamName }),
    db.delete(storedLogs).where(and(eq(storedLogs.streamName, streamName), eq(storedLogs.archivedBytes, 0))),
  ]);
  return kept.length > 0;
}

/** @returns the bytes of the log's copy in the bucket; 0 if there is none */
export async function findArchivedLog(db: Database, streamName: string): Promise<number> {
  const [row] = await db
    .select({ archivedBytes: storedLogs.archivedBytes })
    .from(storedLogs)
    .where(eq(storedLogs.streamName, streamName));
  return row?.archivedBytes ?? 0;
}

/** Returns the given logs that have a copy in the bucket. */
export async function archivedAmong(db: Database, streamNames: string[]): Promise<string[]> {
  if (streamNames.length === 0) return [];
  return namesOf(
    await db
      .select({ streamName: storedLogs.streamName })
      .from(storedLogs)
      .where(and(inArray(storedLogs.streamName, streamNames), isArchived)),
  );
}

/** Logs with a copy in the bucket that ended before this time, oldest first. */
export async function listOldArchivedLogs(db: Database, before: number, limit: number): Promise<string[]> {
  return namesOf(
    await db
      .select({ streamName: storedLogs.streamName })
      .from(storedLogs)
      .where(and(isArchived, lt(storedLogs.endedAt, before)))
      .orderBy(asc(storedLogs.endedAt))
      .limit(limit),
  );
}

/** Stores that the copies of these logs were removed from the bucket. */
export async function forgetArchivedLogs(db: Database, streamNames: readonly string[]): Promise<void> {
  const named = sql`stream_name in (select value from json_each(${JSON.stringify(streamNames)}))`;
  await db.batch([
    db.run(sql`update stored_logs set archived_bytes = 0 where ${named} and bytes > 0`),
    db.run(sql`delete from stored_logs where ${named} and bytes = 0`),
  ]);
}

const namesOf = (rows: readonly { streamName: string }[]) => rows.map(({ streamName }) => streamName);
