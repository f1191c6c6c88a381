/** Changes the setting `backupBucket`: a new bucket is tested before it is stored, and can replace the old one only while that holds no copies. */
import {
  type BackupBucket,
  type BucketAccess,
  type BucketTrouble,
  bucketSecretName,
  checkedEndpoint,
  isSamePlace,
  type NewBackupBucket,
} from '../../domain/backups/backup-bucket.ts';
import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { bucketSecretPlace } from '../../security/secret-places.ts';
import { countObjects } from '../../store/backups/bucket-store.ts';
import { type SettingRow, selectSettings } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { sealInstanceSecret } from '../seal-instance-secret.ts';
import { bucketIn } from './read-backup-bucket.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'tryBucket'>;

export interface BucketChange {
  backupBucket?: NewBackupBucket | null | undefined;
  allowPrivateBackupBucket?: boolean | undefined;
  /** Whether to leave the copies in the old bucket, because they were moved or are no longer needed. */
  leaveBackupCopies?: boolean | undefined;
}

export interface BucketRows {
  /** Settings to write; empty if the bucket does not change. */
  rows: Record<string, unknown>;
  /** Whether the write must be refused while the old bucket holds copies. */
  isGuarded: boolean;
}

/**
 * Prepares a change of the bucket.
 * @throws ApiError `invalid_request` for an endpoint that is not allowed or a missing secret key; `provider_refused` if writing, reading
 *   and deleting a test object failed
 */
export async function prepareBucket(deps: Needs, change: BucketChange): Promise<BucketRows> {
  const { backupBucket, allowPrivateBackupBucket, leaveBackupCopies = false } = change;
  if (backupBucket === undefined && allowPrivateBackupBucket === undefined) return unchanged;
  const stored = await selectSettings(deps.db);
  const now = settingsOf(stored);
  const isPrivateAllowed = allowPrivateBackupBucket ?? now.allowPrivateBackupBucket;
  if (backupBucket === undefined) {
    if (now.backupBucket) checkedEndpoint(now.backupBucket.endpoint, isPrivateAllowed);
    return unchanged;
  }
  const isGuarded = (next: BackupBucket | null) => !leaveBackupCopies && !isSamePlace(now.backupBucket, next);
  if (backupBucket === null) {
    return { rows: { backupBucket: null, [bucketSecretName]: null }, isGuarded: isGuarded(null) };
  }
  const endpoint = checkedEndpoint(backupBucket.endpoint, isPrivateAllowed);
  const { secretAccessKey, ...shown } = await withSecret(deps, stored, { ...backupBucket, endpoint });
  const trouble = await deps.tryBucket({ ...shown, secretAccessKey });
  if (trouble) throw doesNotWork(trouble);
  const sealed = await sealInstanceSecret(deps, bucketSecretPlace, { secretAccessKey });
  return { rows: { backupBucket: shown, [bucketSecretName]: sealed }, isGuarded: isGuarded(shown) };
}

const unchanged: BucketRows = { rows: {}, isGuarded: false };

/** A stored secret key is reused only for the same server and access key. */
async function withSecret(
  deps: Needs,
  stored: readonly SettingRow[],
  { secretAccessKey, ...bucket }: NewBackupBucket,
): Promise<BucketAccess> {
  if (secretAccessKey !== undefined) return { ...bucket, secretAccessKey };
  const known = await bucketIn(deps, stored).catch(() => null);
  if (known?.endpoint === bucket.endpoint && known.accessKeyId === bucket.accessKeyId) {
    return { ...bucket, secretAccessKey: known.secretAccessKey };
  }
  throw new ApiError(
    'invalid_request',
    'The field "backupBucket.secretAccessKey" is missing, and none is stored for this access key and endpoint.',
  );
}

function doesNotWork({ field, why }: BucketTrouble): ApiError {
  const what = field === null ? 'The setting "backupBucket"' : `The field "backupBucket.${field}"`;
  return new ApiError('provider_refused', `${what} does not work: ${why}. Nothing was changed.`);
}

/** The reason why the bucket could not be replaced. */
export async function copiesStay({ db }: Pick<Dependencies, 'db'>): Promise<ApiError> {
  const { copies, files, logs } = await countObjects(db);
  return new ApiError(
    'conflict',
    `The field "backupBucket" can't be changed: the current bucket holds objects that are still in use (backup copies: ${copies}, uploaded files: ${files}, archived logs: ${logs}). Delete them first. Or, if you have moved the objects to the same names in the new bucket or no longer need them, send "leaveBackupCopies": true. Nothing was changed.`,
  );
}
