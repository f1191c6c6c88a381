/** The bucket of backups among the settings: tried out before it is stored, and not exchanged under copies that lie in it. */
import {
  type BackupBucket,
  type BucketAccess,
  type BucketTrouble,
  bucketSecretName,
  checkedEndpoint,
  isSamePlace,
  type NewBackupBucket,
} from '../../domain/backup-bucket.ts';
import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/settings.ts';
import { bucketSecretPlace } from '../../security/secret-places.ts';
import { countObjects } from '../../store/bucket-store.ts';
import { type SettingRow, selectSettings } from '../../store/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { sealInstanceSecret } from '../seal-instance-secret.ts';
import { bucketIn } from './read-backup-bucket.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'tryBucket'>;

export interface BucketChange {
  backupBucket?: NewBackupBucket | null | undefined;
  allowPrivateBackupBucket?: boolean | undefined;
  /** The copies stay behind: somebody has moved them, or gives them up. */
  leaveBackupCopies?: boolean | undefined;
}

export interface BucketRows {
  /** Settings to write; empty: the bucket stays. */
  rows: Record<string, unknown>;
  /** Whether copies that lie in the bucket forbid it. */
  isGuarded: boolean;
}

/**
 * What a change of the bucket writes.
 * @throws ApiError `invalid_request` for an endpoint that is not allowed or a secret key that is missing; `provider_refused` when nothing
 *   could be written, read and removed there
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

/** A stored secret key is sent to no other server, and for no other key. */
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
    'The field "backupBucket.secretAccessKey" is missing: none is stored for this access key at this endpoint.',
  );
}

function doesNotWork({ field, why }: BucketTrouble): ApiError {
  const what = field === null ? 'The setting "backupBucket"' : `The field "backupBucket.${field}"`;
  return new ApiError('provider_refused', `${what} does not work: ${why}. Nothing was changed.`);
}

/** Why the bucket could not be exchanged. */
export async function copiesStay({ db }: Pick<Dependencies, 'db'>): Promise<ApiError> {
  const { copies, files } = await countObjects(db);
  return new ApiError(
    'conflict',
    `The field "backupBucket" can't be changed: copies of ${copies} backups and ${files} uploaded files are in the present bucket. Delete them first; or move the objects to the same names in the new bucket, or give them up, and say so with "leaveBackupCopies": true. Nothing was changed.`,
  );
}
