import { type Settings, settingsOf } from '../domain/settings.ts';
import { withCustomDomains } from '../store/service-names-store.ts';
import { selectSettings, upsertSettings } from '../store/settings-store.ts';
import type { Dependencies } from './dependencies.ts';
import { namesTasks } from './tell-names.ts';

export async function readSettings({ db }: Pick<Dependencies, 'db'>): Promise<Settings> {
  return settingsOf(await selectSettings(db));
}

/**
 * Changes what is given; at least one setting. Hosts are told where custom domains are to point.
 * @returns all settings.
 */
export async function changeSettings(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  changes: Readonly<Record<string, unknown>>,
): Promise<Settings> {
  const { db, hubs, now } = deps;
  const write = upsertSettings(db, changes, now());
  const read = selectSettings(db);
  if (changes.publicIp === undefined) return settingsOf((await db.batch([write, read]))[1]);
  const [, rows, , , tasks] = await db.batch([write, read, ...namesTasks(deps, withCustomDomains, [])]);
  const hosts = [...new Set(tasks.map(({ runnerId }) => runnerId))];
  await Promise.all(hosts.slice(0, wokenHostsMax).map((runnerId) => hubs.wake(runnerId)));
  return settingsOf(rows);
}

/** A request has 50 subrequests on the free plan; hosts beyond are told within a minute, by the sweep. */
const wokenHostsMax = 40;
