import {
  type BucketAccess,
  bucketSecretName,
  bucketSecretSchema,
} from '../../domain/backups/backup-bucket.ts';
import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { bucketSecretPlace } from '../../security/secret-places.ts';
import { type SettingRow, selectSettings } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret } from '../seal-instance-secret.ts';

/**
 * The bucket that the operator has set, with its secret key; null for R2.
 * @throws ApiError `conflict` if the stored setting can't be used; copies must not silently be stored in R2 then
 */
export async function readBackupBucket(
  deps: Pick<Dependencies, 'db' | 'envelope'>,
): Promise<BucketAccess | null> {
  return bucketIn(deps, await selectSettings(deps.db));
}

/** @throws ApiError as `readBackupBucket` */
export async function bucketIn(
  deps: Pick<Dependencies, 'envelope'>,
  rows: readonly SettingRow[],
): Promise<BucketAccess | null> {
  const stored = (name: string) => rows.find((row) => row.name === name)?.value ?? null;
  if (stored('backupBucket') === null) return null;
  const { backupBucket } = settingsOf(rows);
  if (backupBucket === null) {
    throw new ApiError(
      'conflict',
      'The stored setting "backupBucket" is not valid in this version: set it again.',
    );
  }
  const sealed = String(stored(bucketSecretName));
  const owner = 'the bucket of the setting "backupBucket"';
  const secret = await openInstanceSecret(deps, bucketSecretPlace, sealed, bucketSecretSchema, owner);
  return { ...backupBucket, ...secret };
}
