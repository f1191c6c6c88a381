import { keepsRemotely, remoteKeyOf } from '../../domain/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  type BackupClaim,
  claimBackup,
  releaseBackup,
  removeBackup,
} from '../../store/backup-removal-store.ts';
import { type BackupRow, findBackup } from '../../store/backup-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

/** A bucket answers within seconds (gateways/blobs); after this time a deletion that died stands in nobody's way. */
export const removalMs = 5 * 60_000;

/**
 * Removes a backup: its copy in the bucket, then its row, its copy on the host now or on the host's return. From the first step on no
 * restore and no drill begins with it.
 * @returns a sentence about a copy that has stayed for now; null when none has
 * @throws ApiError `conflict` while it runs, or is being restored, tried out or deleted: nothing was removed then; `unavailable` when the
 *   bucket did not remove its copy: the backup is as it was
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
  return `The copy on the host is removed as soon as the host can do it. ${detail}`;
}

/** @throws ApiError `conflict` when a deletion has this backup, or had it: nothing can begin with it. */
export async function assertKept({ db, now }: Pick<Needs, 'db' | 'now'>, backupId: string): Promise<void> {
  const backup = await findBackup(db, backupId);
  if (!backup) throw new ApiError('conflict', 'This backup was deleted meanwhile.');
  if ((backup.removingUntil ?? 0) <= now()) return;
  throw new ApiError(
    'conflict',
    'This backup is being deleted. If the deletion fails it can be used again, within five minutes at most.',
  );
}

async function removeFromBucket({ db, blobs }: Needs, backup: BackupRow, claim: BackupClaim): Promise<void> {
  try {
    await blobs.remove([remoteKeyOf(backup)]);
  } catch (cause) {
    // If this fails, too, the claim passes by itself.
    await releaseBackup(db, claim).catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(
      'unavailable',
      `The copy in the bucket could not be removed, so the backup stays as it is: try again. ${why}`,
      { cause },
    );
  }
}

const isInUse = () =>
  new ApiError(
    'conflict',
    'This backup is running, or is being restored, tried out or deleted: abort that first, or wait for its end.',
  );
