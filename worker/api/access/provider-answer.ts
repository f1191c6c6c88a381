/** The provider's answer that the browser brings back, and the browser's requests to continue with it. */
import { z } from 'zod';
import { sharedCallbackPath } from '../../domain/access/identity-providers.ts';
import { ApiError } from '../../domain/errors.ts';

const accessHeader = 'cf-access-jwt-assertion';
/** Longer than any answer of a provider. */
const responseMax = 8_192;
const callbackMax = 100;

/** Body that finishes a sign-in begun at a page. */
export const finishBody = z.strictObject({
  proof: z.string().max(100).describe('That of the start.'),
  response: z.string().max(responseMax).describe('The query with which the provider sent the browser back.'),
  callback: z
    .string()
    .max(callbackMax)
    .default(sharedCallbackPath)
    .describe('The path to which the provider sent the browser back: that of `redirectUri`.'),
});

export const isSignedByAccess = (request: Request): boolean => request.headers.has(accessHeader);

/**
 * @param code code of the refusal; a refusal is a failed sign-in only without a session
 * @throws ApiError
 */
export function accessTokenOf(request: Request, code: 'unauthenticated' | 'conflict'): string {
  const token = request.headers.get(accessHeader);
  if (token !== null) return token;
  throw new ApiError(
    code,
    'Cloudflare Access has not signed this request: open the address that it protects.',
  );
}
