import { sql } from 'drizzle-orm';
import { settings } from '../schema/settings.ts';
import type { Database } from '../sql/database.ts';

export type SettingRow = Pick<typeof settings.$inferSelect, 'name' | 'value'>;

export function selectSettings(db: Database) {
  return db.select({ name: settings.name, value: settings.value }).from(settings);
}

/** Writes the given settings; others do not change. */
export function upsertSettings(db: Database, values: Readonly<Record<string, unknown>>, now: number) {
  // As JSON text, because drizzle would write null as NULL, which the column refuses.
  const rows = Object.entries(values).map(([name, value]) => ({
    name,
    value: sql`${JSON.stringify(value)}`,
    updatedAt: now,
  }));
  return db
    .insert(settings)
    .values(rows)
    .onConflictDoUpdate({
      target: settings.name,
      set: { value: sql`excluded.value`, updatedAt: now },
    });
}
