import { issueToken } from '../../security/api-token.ts';
import { selectKeyWithProjects, updateKey } from '../../store/api-key-store.ts';
import { selectOtherTenant } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { KeyView } from './create-key.ts';

/** How long the old token keeps working, so that the new one can be rolled out. */
const overlapMs = 24 * 3_600_000;

/** Gives a key a new token. @param immediately invalidates the old token now */
export async function rotateKey(
  { db, now, fillRandom }: Dependencies,
  { key, projectIds }: Omit<KeyView, 'showsTenant'>,
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
  const [, others] = await db.batch([updateKey(db, key.id, changes), selectOtherTenant(db)]);
  return { view: { key: { ...key, ...changes }, projectIds, showsTenant: others.length > 0 }, token };
}

/** The key that an earlier attempt created with this id. No one received its token, so it gets a new one. */
export async function findCreatedKey(
  deps: Dependencies,
  keyId: string,
): Promise<{ view: KeyView; token: string } | undefined> {
  const [[found]] = await deps.db.batch([selectKeyWithProjects(deps.db, keyId)]);
  return found && rotateKey(deps, found, true);
}
