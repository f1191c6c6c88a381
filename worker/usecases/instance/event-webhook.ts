/** The event webhook in the settings: its URL in one row, its sealed secret in another. */
import { z } from 'zod';
import { type EventWebhook, eventWebhookSecretName } from '../../domain/instance/event-webhook.ts';
import { type Settings, settingsOf } from '../../domain/instance/settings.ts';
import { checkedWebhookUrl } from '../../domain/names/webhook-url.ts';
import { eventWebhookSecretPlace } from '../../security/secret-places.ts';
import { issueWebhookSecret } from '../../security/standard-webhook.ts';
import type { SettingRow } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

/** Name of the setting with the webhook's address. */
const webhookField = 'eventWebhook.url';

export interface WantedWebhook {
  url: string;
  /** If absent: the current secret remains; without one, a new secret is generated. */
  secret?: string | undefined;
}

/**
 * The settings rows for a webhook.
 * @param settings the settings after the change
 * @returns rows by name; `madeSecret`: a generated secret, to be shown once
 * @throws ApiError `invalid_request` for a URL that is not allowed
 */
export async function eventWebhookRows(
  deps: Pick<Dependencies, 'envelope' | 'fillRandom'>,
  wanted: WantedWebhook | null,
  { rows, settings }: { rows: readonly SettingRow[]; settings: Pick<Settings, 'allowPrivateEventWebhook'> },
): Promise<{ rows: Record<string, unknown>; madeSecret?: string }> {
  if (wanted === null) return { rows: { eventWebhook: null, [eventWebhookSecretName]: null } };
  const eventWebhook = {
    url: checkedWebhookUrl(wanted.url, webhookField, settings.allowPrivateEventWebhook),
  };
  if (wanted.secret === undefined && (await hasSecret(deps, rows))) return { rows: { eventWebhook } };
  const secret = wanted.secret ?? issueWebhookSecret(deps.fillRandom);
  const sealed = await sealInstanceSecret(deps, eventWebhookSecretPlace, secret);
  return {
    rows: { eventWebhook, [eventWebhookSecretName]: sealed },
    ...(wanted.secret === undefined ? { madeSecret: secret } : {}),
  };
}

/**
 * The current webhook; undefined if none is set.
 * @throws ApiError `invalid_request` if its URL is no longer allowed; `conflict` if its secret can't be decrypted
 */
export async function openEventWebhook(
  deps: Pick<Dependencies, 'envelope'>,
  rows: readonly SettingRow[],
): Promise<EventWebhook | undefined> {
  const { eventWebhook, allowPrivateEventWebhook } = settingsOf(rows);
  if (eventWebhook === null) return undefined;
  const url = checkedWebhookUrl(eventWebhook.url, webhookField, allowPrivateEventWebhook);
  return { url, secret: await openSecret(deps, rows), allowsPrivate: allowPrivateEventWebhook };
}

/** A secret that can't be decrypted does not count. */
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
