/** Rows that name objects in the bucket of the control plane, and the setting that says which bucket that is. */
import { count, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { backups } from './schema/backups.ts';
import { settings } from './schema/settings.ts';
import { uploads } from './schema/uploads.ts';

/** Backups with a copy in the bucket, and those whose host writes one just now. */
const holdsCopy = sql`${backups.storage} <> 'disk' and ${backups.status} <> 'failed'`;

/** Copies of backups, and uploaded files that wait for their import or are being imported. */
export async function countObjects(db: Database): Promise<{ copies: number; files: number }> {
  const [[one], [other]] = await db.batch([
    db.select({ copies: count() }).from(backups).where(holdsCopy),
    db.select({ files: count() }).from(uploads),
  ]);
  return { copies: one?.copies ?? 0, files: other?.files ?? 0 };
}

/** Writes the given settings while no row names an object. @returns for a batch: a row a setting, none when there was an object */
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
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at
    returning name`);
}
