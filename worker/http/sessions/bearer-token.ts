import { ApiError } from '../../domain/errors.ts';

/**
 * The token of an `Authorization` header: RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1).
 * @throws ApiError `unauthenticated`
 */
export function bearerToken(authorization: string): string {
  const [, token] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
  if (token === undefined) throw unauthenticated();
  return token;
}

/** The answer is the same for a missing, malformed, unknown, expired or revoked key. */
export function unauthenticated(): ApiError {
  return new ApiError(
    'unauthenticated',
    'A valid API key is required: send it as "Authorization: Bearer <key>".',
  );
}
