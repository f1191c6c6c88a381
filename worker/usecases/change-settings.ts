import { type Settings, settingsOf } from '../domain/settings.ts';
import { dropUntoldEvents } from '../store/event-store.ts';
import { withCustomDomains } from '../store/service-names-store.ts';
import { selectSettings, upsertSettings } from '../store/settings-store.ts';
import type { Dependencies } from './dependencies.ts';
import { eventWebhookRows, type WantedWebhook } from './event-webhook.ts';
import { namesTasks } from './tell-names.ts';

export type SettingChanges = {
  [Name in Exclude<keyof Settings, 'eventWebhook'>]?: Settings[Name] | undefined;
} & {
  eventWebhook?: WantedWebhook | null | undefined;
};

export async function readSettings({ db }: Pick<Dependencies, 'db'>): Promise<Settings> {
  return settingsOf(await selectSettings(db));
}

/**
 * Changes what is given; at least one setting. Hosts are told where custom domains are to point.
 * @returns all settings; `madeSecret`: of the event webhook, to be shown once
 * @throws ApiError `invalid_request` for an address of the event webhook that is not allowed
 */
export async function changeSettings(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'envelope' | 'fillRandom' | 'now'>,
  { eventWebhook, ...values }: SettingChanges,
): Promise<{ settings: Settings; madeSecret: string | undefined }> {
  const { db, hubs, now } = deps;
  const webhook = eventWebhook === undefined ? undefined : await webhookRows(deps, eventWebhook, values);
  const write = upsertSettings(db, { ...values, ...webhook?.rows }, now());
  const read = selectSettings(db);
  const madeSecret = webhook?.madeSecret;
  if (values.publicIp === undefined) {
    const [, rows] = await db.batch([write, read, dropUntoldEvents(db)]);
    return { settings: settingsOf(rows), madeSecret };
  }
  const [, rows, , , , tasks] = await db.batch([
    write,
    read,
    dropUntoldEvents(db),
    ...namesTasks(deps, withCustomDomains, []),
  ]);
  const hosts = [...new Set(tasks.map(({ runnerId }) => runnerId))];
  await Promise.all(hosts.slice(0, wokenHostsMax).map((runnerId) => hubs.wake(runnerId)));
  return { settings: settingsOf(rows), madeSecret };
}

/** By the settings as they will be: one request may allow an address and set it. */
async function webhookRows(
  deps: Pick<Dependencies, 'db' | 'envelope' | 'fillRandom'>,
  wanted: WantedWebhook | null,
  values: Readonly<Record<string, unknown>>,
) {
  const rows = await selectSettings(deps.db);
  const changed = Object.entries(values).map(([name, value]) => ({ name, value }));
  return eventWebhookRows(deps, wanted, { rows, settings: settingsOf([...rows, ...changed]) });
}

/** A request has 50 subrequests on the free plan; hosts beyond are told within a minute, by the sweep. */
const wokenHostsMax = 40;
