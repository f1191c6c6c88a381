import { updateKey } from '../../store/api-key-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Revokes a key permanently. Its row stays, because the audit log refers to it. */
export async function revokeKey({ db, now }: Pick<Dependencies, 'db' | 'now'>, keyId: string): Promise<void> {
  await updateKey(db, keyId, { revokedAt: now() });
}
