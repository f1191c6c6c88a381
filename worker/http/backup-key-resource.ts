import { type BackupKeyRow, selectScopedBackupKey } from '../store/backups/backup-key-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:backupKeyId` of the caller's tenant. */
export const backupKeyResource: ResourceLoader<{ backupKey: BackupKeyRow }> = {
  name: 'backup key',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedBackupKey(db, tokenId, parameter(params, 'backupKeyId')),
  projectOf: () => null,
};
