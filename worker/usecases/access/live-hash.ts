import type { PresentedToken } from '../../security/api-token.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';

/** The hash that the presented token must match; `null` if the key or this token is no longer valid. */
export function liveHash(
  key: ApiKeyRow,
  presented: Pick<PresentedToken, 'tokenId'>,
  now: number,
): string | null {
  if (key.revokedAt !== null) return null;
  if (key.expiresAt !== null && key.expiresAt <= now) return null;
  if (presented.tokenId === key.tokenId) return key.secretHash;
  return key.previousUntil !== null && key.previousUntil > now ? key.previousSecretHash : null;
}
