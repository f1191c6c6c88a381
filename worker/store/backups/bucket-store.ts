import { count, sql } from 'drizzle-orm';
import { backups } from '../schema/backups.ts';
import { storedLogs } from '../schema/logs.ts';
import { settings } from '../schema/settings.ts';
import { uploads } from '../schema/uploads.ts';
import type { Database } from '../sql/database.ts';

/** Condition: backups with a copy in the bucket, including copies that are being written. */
const holdsCopy = sql`${backups.storage} <> 'disk' and ${backups.status} <> 'failed'`;

/** Copies of deleted backups that can be restored. */
const keptCopies = sql`deleted_rows where source = 'backups' and row ->> 'storage' <> 'disk' and row ->> 'status' <> 'failed'`;

const holdsLog = sql`${storedLogs.archivedBytes} > 0`;

/** Counts backup copies, uploaded files that wait for an import or are being imported, and archived logs. */
export async function countObjects(db: Database): Promise<{ copies: number; files: number; logs: number }> {
  const [[one], [other], [deleted], [archived]] = await db.batch([
    db.select({ copies: count() }).from(backups).where(holdsCopy),
    db.select({ files: count() }).from(uploads),
    db.all<{ copies: number }>(sql`select count(*) as copies from ${keptCopies}`),
    db.select({ logs: count() }).from(storedLogs).where(holdsLog),
  ]);
  const copies = (one?.copies ?? 0) + (deleted?.copies ?? 0);
  return { copies, files: other?.files ?? 0, logs: archived?.logs ?? 0 };
}

/**
 * Writes the given settings unless a row refers to an object in the bucket. @returns for a batch: a statement with one row per setting, none if
 * refused
 */
export function upsertSettingsWithoutObjects(
  db: Database,
  values: Readonly<Record<string, unknown>>,
  now: number,
) {
  const texts = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]);
  return db.all<{ name: string }>(sql`
    insert into ${settings} (name, value, updated_at)
    select key, value, ${now} from json_each(${JSON.stringify(Object.fromEntries(texts))})
    where not exists (select 1 from ${backups} where ${holdsCopy}) and not exists (select 1 from ${uploads})
      and not exists (select 1 from ${keptCopies}) and not exists (select 1 from ${storedLogs} where ${holdsLog})
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at
    returning name`);
}
