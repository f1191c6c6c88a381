import { keepsRemotely, remoteKeyOf } from '../domain/backup-format.ts';
import { ApiError } from '../domain/errors.ts';
import { type BackupRow, isBackupInUse, removeBackup } from '../store/backup-store.ts';
import type { Dependencies } from './dependencies.ts';
import { removeFromHosts } from './remove-from-hosts.ts';

/**
 * Removes a backup: its copy in the bucket, then its row, its copy on the host now or on the host's return.
 * @returns a sentence about a copy that has stayed for now; null when none has
 * @throws ApiError `conflict` while it runs, or is being restored or tried out; `unavailable` when the bucket did not remove its copy: nothing else was removed then
 */
export async function deleteBackup(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>,
  { backup, service }: { backup: BackupRow; service: { id: string; projectId: string; runnerId: string } },
): Promise<string | null> {
  if (backup.status === 'running' || (await isBackupInUse(deps.db, backup.id))) throw isRunning();
  if (keepsRemotely(backup.storage)) await removeFromBucket(deps, backup);
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
  if (!(await removeBackup(deps.db, backup.id, task, deps.now()))) throw isRunning();
  const { ok, detail } = await removeFromHosts(deps, [task]);
  if (ok || backup.localPath === null) return null;
  return `The copy on the host is removed as soon as the host can do it. ${detail}`;
}

async function removeFromBucket({ blobs }: Pick<Dependencies, 'blobs'>, backup: BackupRow): Promise<void> {
  try {
    await blobs.remove([remoteKeyOf(backup)]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(
      'unavailable',
      `The copy in the bucket could not be removed, so the backup stays as it is: try again. ${why}`,
      { cause },
    );
  }
}

const isRunning = () =>
  new ApiError(
    'conflict',
    'This backup is running, or is being restored or tried out: abort that first, or wait for its end.',
  );
