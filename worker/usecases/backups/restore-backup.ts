import { ApiError } from '../../domain/errors.ts';
import {
  type BackupRow,
  findOpenRestore,
  findRestore,
  insertRestore,
  type RestoreRow,
} from '../../store/backup-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertKept } from './delete-backup.ts';
import { dataIsBusy, newBackup } from './start-backup.ts';

/** A request waits no longer: proxies between it and the client give up after five minutes at most. */
const restoreWaitMs = 240_000;

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

/**
 * Restores a backup and waits for the end; one that is at work is joined. A client that leaves stops nothing.
 * @param target the service that is filled
 * @throws ApiError `conflict` for a backup that did not succeed or is being deleted, or a target that is busy; `unsupported`
 *   for another engine; `restore_failed` with the reason, nothing has changed then; `restore_still_running` after 240 s
 */
export async function restoreBackup(
  deps: Needs,
  { backup, target }: { backup: BackupRow; target: ServiceRow },
): Promise<RestoreRow> {
  assertRestorable(backup, target);
  const open = await findOpenRestore(deps.db, backup.id);
  if (open && open.serviceId !== target.id) {
    throw new ApiError('conflict', 'This backup is being restored into another service: wait for it to end.');
  }
  const restore = open ?? (await queueRestore(deps, backup, target));
  await deps.hubs.jobEnds(target.runnerId, restore.jobId, restoreWaitMs);
  const ended = await findRestore(deps.db, restore.id);
  if (ended?.status === 'succeeded') return ended;
  if (ended?.status === 'running') {
    throw new ApiError(
      'restore_still_running',
      'The restore is still at work: send the same request again to wait for its end, or look at `restore` in the list of backups.',
    );
  }
  throw new ApiError('restore_failed', ended?.error ?? 'The service was deleted during the restore.');
}

function assertRestorable(backup: BackupRow, target: ServiceRow): void {
  if (backup.status !== 'succeeded') {
    throw new ApiError(
      'conflict',
      `This backup is ${backup.status}: only one that succeeded can be restored.`,
    );
  }
  const engine = engineOfDatabase(target);
  assertDeployed(target);
  if (engine !== backup.engine) {
    throw new ApiError(
      'unsupported',
      `targetServiceId: the backup is of ${backup.engine}, that service runs ${engine}.`,
    );
  }
}

async function queueRestore(deps: Needs, backup: BackupRow, target: ServiceRow): Promise<RestoreRow> {
  const id = deps.newId('restore');
  const jobId = deps.newId('job');
  const safety = newBackup(deps, target, { storage: 'disk', trigger: 'pre-restore', jobId });
  const runnerId = await insertRestore(deps.db, { id, backupId: backup.id, jobId, safety });
  if (runnerId === undefined) {
    await assertKept(deps, backup.id);
    throw dataIsBusy();
  }
  await deps.hubs.wake(runnerId);
  const restore = await findRestore(deps.db, id);
  if (restore) return restore;
  throw new ApiError('conflict', 'The backup or its service was deleted while the restore began.');
}
