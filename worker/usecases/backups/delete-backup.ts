import { keepsRemotely, remoteKeyOf } from '../../domain/backups/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  type BackupClaim,
  claimBackup,
  releaseBackup,
  removeBackup,
} from '../../store/backups/backup-removal-store.ts';
import { type BackupRow, findBackup } from '../../store/backups/backup-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

/** The bucket answers within seconds (gateways/blobs). After this time, a deletion that died no longer blocks the backup. */
export const removalMs = 5 * 60_000;

/**
 * Removes a backup that automatic retention no longer needs: first its copy in the bucket, then its row, then its copy on the host, now or when the
 * host reconnects. After the first step, no restore or drill of it can start.
 * @returns a sentence about a copy that will be deleted later; null if none remains
 * @throws ApiError `conflict` while the backup runs or is being restored, tested or deleted (nothing was deleted then); `unavailable` if
 *   the bucket did not delete its copy (the backup is unchanged then)
 */
export async function deleteBackup(
  deps: Needs,
  { backup, service }: { backup: BackupRow; service: { id: string; projectId: string; runnerId: string } },
): Promise<string | null> {
  const at = deps.now();
  const claim = { backupId: backup.id, until: at + removalMs };
  if (!(await claimBackup(deps.db, claim, at))) throw isInUse();
  if (keepsRemotely(backup.storage)) await removeFromBucket(deps, backup, claim);
  const task = {
    id: deps.newId('hostTask'),
    runnerId: service.runnerId,
    task: {
      kind: 'remove-backup' as const,
      serviceId: service.id,
      projectId: service.projectId,
      backupId: backup.id,
    },
  };
  if (!(await removeBackup(deps.db, claim, task, deps.now()))) throw isInUse();
  const { ok, detail } = await removeFromHosts(deps, [task]);
  if (ok || backup.localPath === null) return null;
  return `The copy on the host will be deleted as soon as possible. ${detail}`;
}

/** @throws ApiError `conflict` if this backup is being deleted or was deleted, so that no restore or drill of it can start. */
export async function assertKept({ db, now }: Pick<Needs, 'db' | 'now'>, backupId: string): Promise<void> {
  const backup = await findBackup(db, backupId);
  if (!backup) throw new ApiError('conflict', 'This backup was deleted in the meantime.');
  if ((backup.removingUntil ?? 0) <= now()) return;
  throw new ApiError(
    'conflict',
    'This backup is being deleted. If the deletion fails, it can be used again after at most five minutes.',
  );
}

async function removeFromBucket({ db, blobs }: Needs, backup: BackupRow, claim: BackupClaim): Promise<void> {
  try {
    await blobs.remove([remoteKeyOf(backup)]);
  } catch (cause) {
    // If this also fails, the claim expires.
    await releaseBackup(db, claim).catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(
      'unavailable',
      `The copy in the bucket could not be deleted, so the backup was not deleted: try again. ${why}`,
      { cause },
    );
  }
}

export const isInUse = () =>
  new ApiError(
    'conflict',
    'This backup is running, or is being restored, tested or deleted: abort that first, or wait until it ends.',
  );
