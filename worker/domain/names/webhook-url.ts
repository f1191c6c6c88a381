import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { defaultTenantId } from '../tenants/tenant-limits.ts';
import { isPrivateHost } from './private-host.ts';

/** Whether plain http and private addresses are allowed: the operator's setting holds for the operator's own tenant only. */
export const allowsPrivateFor = (
  tenantId: string,
  { allowPrivateEventWebhook }: { allowPrivateEventWebhook: boolean },
): boolean => allowPrivateEventWebhook && tenantId === defaultTenantId;

/**
 * Normalises the URL of a receiver that a user chose. Only public https is allowed, so that the URL gives no access to internal networks, unless the
 * operator allows plain http and private addresses (setting `allowPrivateEventWebhook`). The URL is checked when it is set and at each delivery.
 * @param field its name in the request, for the error
 * @throws ApiError `invalid_request`
 */
export function checkedWebhookUrl(text: string, field: string, allowsPrivate: boolean): string {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal(field, 'must be an https URL');
  if (url.username || url.password || url.hash) {
    throw refusal(
      field,
      'must be a URL without user, password and fragment: deliveries are authenticated by their signature',
    );
  }
  const wayOut = 'unless the setting "allowPrivateEventWebhook" is true';
  if (!allowsPrivate) {
    if (url.protocol === 'http:') throw refusal(field, `must start with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(field, `must not point to a private address, ${wayOut}`);
  }
  return url.href;
}

function refusal(field: string, predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "${field}" ${predicate}.`);
}

/**
 * Schema of a receiver's address. Whether it is public depends on a setting, so that is checked when it is stored and at each delivery
 * (domain/event-webhook).
 */
export const receiverUrl = (example: string) =>
  z
    .string()
    .max(2_000, 'is too long: at most 2,000 characters')
    .refine(isAddress, `must be an https URL without user, password and fragment, such as "${example}"`);

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
}
