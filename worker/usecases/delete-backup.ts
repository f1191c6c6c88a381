import { ApiError } from '../domain/errors.ts';
import { type BackupRow, removeBackup } from '../store/backup-store.ts';
import type { Dependencies } from './dependencies.ts';
import { removeFromHosts } from './remove-from-hosts.ts';

/**
 * Removes a backup: its row at once, its copy on the host now or on the host's return.
 * @throws ApiError `conflict` while it runs
 */
export async function deleteBackup(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  { backup, service }: { backup: BackupRow; service: { id: string; projectId: string; runnerId: string } },
): Promise<void> {
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
  if (!(await removeBackup(deps.db, backup.id, task, deps.now()))) {
    throw new ApiError('conflict', 'This backup is running: abort it first, or wait for its end.');
  }
  await removeFromHosts(deps, [task]);
}
