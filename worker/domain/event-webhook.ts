/** The one outgoing webhook of the instance: where events are told. */
import { z } from 'zod';
import { ApiError } from './errors.ts';
import { isPrivateHost } from './private-host.ts';

const urlMax = 2_000;

/** As it is stored and shown: its secret is sealed in a row of its own, and never shown again. */
export const eventWebhookSchema = z.strictObject({ url: z.string().max(urlMax) });

/** Name of the settings row that holds the sealed secret; no setting has it. */
export const eventWebhookSecretName = 'eventWebhookSecret';

export interface EventWebhook {
  url: string;
  secret: string;
}

/**
 * The URL in the form that is stored. Public https alone, so that the control plane reaches into no network by it, unless the operator
 * allows private addresses and plain http (setting `allowPrivateEventWebhook`): asked when it is set, and again at each delivery.
 * @throws ApiError `invalid_request`.
 */
export function checkedWebhookUrl(text: string, allowsPrivate: boolean): string {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal('must be an https URL');
  if (url.username || url.password || url.hash) {
    throw refusal('must be a URL without user, password and fragment: the signature is its proof');
  }
  const wayOut = 'unless the setting "allowPrivateEventWebhook" is true';
  if (!allowsPrivate) {
    if (url.protocol === 'http:') throw refusal(`must begin with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(`must not lead to a private address, ${wayOut}`);
  }
  return url.href;
}

function refusal(predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "eventWebhook.url" ${predicate}.`);
}
