import { z } from 'zod';

/**
 * Schema of a receiver's address. That it is public is checked when it is stored and again at each delivery, because that depends on a
 * setting (domain/event-webhook).
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
