/** Rows that name copies in the bucket of the control plane, and the setting that says which bucket that is. */
import { count, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { backups } from './schema/backups.ts';
import { settings } from './schema/settings.ts';

/** Backups with a copy in the bucket, and those whose host writes one just now. */
const holdsCopy = sql`${backups.storage} <> 'disk' and ${backups.status} <> 'failed'`;

export async function countCopies(db: Database): Promise<number> {
  const [row] = await db.select({ copies: count() }).from(backups).where(holdsCopy);
  return row?.copies ?? 0;
}

/** Writes the given settings while no row names a copy. @returns for a batch: a row a setting, none when there was a copy */
export function upsertSettingsWithoutCopies(
  db: Database,
  values: Readonly<Record<string, unknown>>,
  now: number,
) {
  const texts = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]);
  return db.all<{ name: string }>(sql`
    insert into ${settings} (name, value, updated_at)
    select key, value, ${now} from json_each(${JSON.stringify(Object.fromEntries(texts))})
    where not exists (select 1 from ${backups} where ${holdsCopy})
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at
    returning name`);
}
