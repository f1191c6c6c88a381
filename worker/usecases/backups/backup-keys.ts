/** The keys with which a tenant's backups are encrypted. */
import { ApiError } from '../../domain/errors.ts';
import { newBackupIdentity } from '../../security/backup-identity.ts';
import { backupIdentityPlace } from '../../security/secret-places.ts';
import { type BackupKeyView, findBackupKey, insertBackupKey } from '../../store/backups/backup-key-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope'>;

/** Includes the secret part, which is shown only to the caller that created the key. */
export interface IssuedBackupKey {
  key: BackupKeyView;
  identity: string;
}

/** Creates a key that encrypts all backups of the tenant that start after this, and replaces the previous key. */
export async function makeBackupKey(
  deps: Needs & Pick<Dependencies, 'newId' | 'now'>,
  tenantId: string,
): Promise<IssuedBackupKey> {
  const id = deps.newId('backupKey');
  const { identity, recipient } = await newBackupIdentity();
  const sealedIdentity = await deps.envelope.sealForInstance(backupIdentityPlace(id), identity);
  await insertBackupKey(deps.db, { id, tenantId, recipient, sealedIdentity, createdAt: deps.now() });
  const issued = await findIssuedBackupKey(deps, id);
  if (issued) return issued;
  throw new ApiError('conflict', 'The tenant was deleted while the key was made.');
}

export async function findIssuedBackupKey(deps: Needs, id: string): Promise<IssuedBackupKey | undefined> {
  const key = await findBackupKey(deps.db, id);
  return key && { key, identity: await openBackupIdentity(deps, id) };
}

/** @returns the secret part of a key @throws ApiError `conflict` with the key's id, if the secret part is lost */
export async function openBackupIdentity({ db, envelope }: Needs, id: string): Promise<string> {
  const key = await findBackupKey(db, id);
  if (!key) throw lost(id, 'This instance does not have it.');
  try {
    return await envelope.openForInstance(backupIdentityPlace(id), key.sealedIdentity);
  } catch (error) {
    throw lost(id, error instanceof Error ? error.message : String(error));
  }
}

const lost = (id: string, why: string) =>
  new ApiError(
    'conflict',
    `The backup is encrypted with the key ${id}, which can't be opened. ${why} Without it, download the file with "?stored=true" and decrypt it with the identity that you kept: age -d -i IDENTITY FILE.`,
  );
