import { issueToken } from '../security/api-token.ts';
import { updateKey } from '../store/api-key-store.ts';
import type { KeyView } from './create-key.ts';
import type { Dependencies } from './dependencies.ts';

/** How long the old token goes on working: time to put the new one everywhere. */
const overlapMs = 24 * 3_600_000;

/** Gives a key a new token. @param immediately the old token stops working at once. */
export async function rotateKey(
  { db, now, fillRandom }: Dependencies,
  { key, projectIds }: KeyView,
  immediately: boolean,
): Promise<{ view: KeyView; token: string }> {
  const { token, proof } = await issueToken(fillRandom);
  const previous = immediately
    ? { previousTokenId: null, previousSecretHash: null, previousUntil: null }
    : {
        previousTokenId: key.tokenId,
        previousSecretHash: key.secretHash,
        previousUntil: now() + overlapMs,
      };
  const changes = { ...proof, ...previous };
  await updateKey(db, key.id, changes);
  return { view: { key: { ...key, ...changes }, projectIds }, token };
}
