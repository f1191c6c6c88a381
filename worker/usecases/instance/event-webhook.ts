/** The event webhook as the settings keep it: its URL in one row, its secret sealed in another. */
import { z } from 'zod';
import { checkedWebhookUrl, type EventWebhook, eventWebhookSecretName } from '../../domain/event-webhook.ts';
import { type Settings, settingsOf } from '../../domain/settings.ts';
import { eventWebhookSecretPlace } from '../../security/secret-places.ts';
import { issueWebhookSecret } from '../../security/standard-webhook.ts';
import type { SettingRow } from '../../store/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

export interface WantedWebhook {
  url: string;
  /** Left out: the one there is stays; where there is none, one is made. */
  secret?: string | undefined;
}

/**
 * What is to be written so that events are told there.
 * @param settings as they will be
 * @returns rows by name; `madeSecret`: one that nobody has seen yet
 * @throws ApiError `invalid_request` for a URL that is not allowed
 */
export async function eventWebhookRows(
  deps: Pick<Dependencies, 'envelope' | 'fillRandom'>,
  wanted: WantedWebhook | null,
  { rows, settings }: { rows: readonly SettingRow[]; settings: Pick<Settings, 'allowPrivateEventWebhook'> },
): Promise<{ rows: Record<string, unknown>; madeSecret?: string }> {
  if (wanted === null) return { rows: { eventWebhook: null, [eventWebhookSecretName]: null } };
  const eventWebhook = { url: checkedWebhookUrl(wanted.url, settings.allowPrivateEventWebhook) };
  if (wanted.secret === undefined && (await hasSecret(deps, rows))) return { rows: { eventWebhook } };
  const secret = wanted.secret ?? issueWebhookSecret(deps.fillRandom);
  const sealed = await sealInstanceSecret(deps, eventWebhookSecretPlace, secret);
  return {
    rows: { eventWebhook, [eventWebhookSecretName]: sealed },
    ...(wanted.secret === undefined ? { madeSecret: secret } : {}),
  };
}

/**
 * The webhook that is set; undefined: none is.
 * @throws ApiError `invalid_request` when its address is allowed no more; `conflict` when its secret does not open
 */
export async function openEventWebhook(
  deps: Pick<Dependencies, 'envelope'>,
  rows: readonly SettingRow[],
): Promise<EventWebhook | undefined> {
  const { eventWebhook, allowPrivateEventWebhook } = settingsOf(rows);
  if (eventWebhook === null) return undefined;
  const url = checkedWebhookUrl(eventWebhook.url, allowPrivateEventWebhook);
  return { url, secret: await openSecret(deps, rows) };
}

/** One that does not open is none. */
async function hasSecret(
  deps: Pick<Dependencies, 'envelope'>,
  rows: readonly SettingRow[],
): Promise<boolean> {
  if (sealedSecretIn(rows) === '') return false;
  return openSecret(deps, rows).then(
    () => true,
    () => false,
  );
}

const openSecret = (deps: Pick<Dependencies, 'envelope'>, rows: readonly SettingRow[]) =>
  openInstanceSecret(deps, eventWebhookSecretPlace, sealedSecretIn(rows), z.string(), 'the event webhook');

function sealedSecretIn(rows: readonly SettingRow[]): string {
  const sealed = rows.find(({ name }) => name === eventWebhookSecretName)?.value;
  return typeof sealed === 'string' ? sealed : '';
}
