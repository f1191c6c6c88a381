/** The instance's one outgoing webhook, which receives its events. */
import { z } from 'zod';
import { ApiError } from './errors.ts';
import { isPrivateHost } from './private-host.ts';

const urlMax = 2_000;

/** The webhook in its stored form, which is also shown. Its secret is sealed in a separate settings row and is never shown again. */
export const eventWebhookSchema = z.strictObject({ url: z.string().max(urlMax) });

/** Name of the settings row with the sealed secret. It is not a setting. */
export const eventWebhookSecretName = 'eventWebhookSecret';

export interface EventWebhook {
  url: string;
  secret: string;
}

/**
 * Normalises the URL for storage. Only public https is allowed, so that the URL gives no access to internal networks, unless the operator
 * allows plain http and private addresses (setting `allowPrivateEventWebhook`). Checked when it is set and again at each delivery.
 * @throws ApiError `invalid_request`.
 */
export function checkedWebhookUrl(text: string, allowsPrivate: boolean): string {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal('must be an https URL');
  if (url.username || url.password || url.hash) {
    throw refusal(
      'must be a URL without user, password and fragment: deliveries are authenticated by their signature',
    );
  }
  const wayOut = 'unless the setting "allowPrivateEventWebhook" is true';
  if (!allowsPrivate) {
    if (url.protocol === 'http:') throw refusal(`must start with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(`must not point to a private address, ${wayOut}`);
  }
  return url.href;
}

function refusal(predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "eventWebhook.url" ${predicate}.`);
}
