import { type Settings, settingsOf } from '../domain/settings.ts';
import { selectSettings, upsertSettings } from '../store/settings-store.ts';
import type { Dependencies } from './dependencies.ts';

export async function readSettings({ db }: Pick<Dependencies, 'db'>): Promise<Settings> {
  return settingsOf(await selectSettings(db));
}

/** Changes what is given; at least one setting. @returns all settings. */
export async function changeSettings(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  changes: Readonly<Record<string, unknown>>,
): Promise<Settings> {
  const [, rows] = await db.batch([upsertSettings(db, changes, now()), selectSettings(db)]);
  return settingsOf(rows);
}
