import { ApiError } from '../../domain/errors.ts';
import {
  type BackupRow,
  findOpenRestore,
  findRestore,
  insertRestore,
  type NewBackup,
  type RestoreRow,
} from '../../store/backups/backup-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertKept } from './delete-backup.ts';
import { dataIsBusy, newBackup } from './start-backup.ts';

/** Maximum wait of a request: proxies in front of the client give up after five minutes at most. */
const restoreWaitMs = 240_000;

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

/**
 * Restores a backup and waits for the end; joins a restore of it that is already running. It continues if the client disconnects.
 * @param target the service whose data is replaced
 * @throws ApiError `conflict` for a backup that did not succeed or is being deleted, or a busy target; `unsupported` for another engine;
 *   `restore_failed` with the reason (the data is unchanged then); `restore_still_running` after 240 s
 */
export async function restoreBackup(
  deps: Needs,
  { backup, target }: { backup: BackupRow; target: ServiceRow },
): Promise<RestoreRow> {
  assertRestorable(backup, target);
  const safety = (jobId: string) => newBackup(deps, target, { ...safetyCopy, jobId });
  return await restoreInto(deps, { backup, target, safety });
}

/** How the replaced data is kept. */
export const safetyCopy = { storage: 'disk', trigger: 'pre-restore' } as const;

/** A restore that may start: of what into what, and the row of the safety copy for a job with this id. */
export interface AllowedRestore {
  backup: BackupRow;
  target: ServiceRow;
  safety: (jobId: string) => NewBackup;
}

/** Queues the restore, or joins one that runs, and waits for its end. @throws ApiError as `restoreBackup` */
export async function restoreInto(deps: Needs, restoring: AllowedRestore): Promise<RestoreRow> {
  const { backup, target } = restoring;
  const open = await findOpenRestore(deps.db, backup.id);
  if (open && open.serviceId !== target.id) {
    throw new ApiError(
      'conflict',
      'This backup is being restored into another service: wait until that ends.',
    );
  }
  const restore = open ?? (await queueRestore(deps, restoring));
  await deps.hubs.jobEnds(target.runnerId, restore.jobId, restoreWaitMs);
  const ended = await findRestore(deps.db, restore.id);
  if (ended?.status === 'succeeded') return ended;
  if (ended?.status === 'running') {
    throw new ApiError(
      'restore_still_running',
      'The restore is still running: send the same request again to keep waiting, or check `restore` in the list of backups.',
    );
  }
  throw new ApiError('restore_failed', ended?.error ?? 'The service was deleted during the restore.');
}

/** What can never be right is refused before what is wrong at this moment. */
function assertRestorable(backup: BackupRow, target: ServiceRow): void {
  const engine = engineOfDatabase(target);
  if (engine !== backup.engine) {
    throw new ApiError(
      'unsupported',
      `targetServiceId: the backup is from ${backup.engine}, but this service runs ${engine}.`,
    );
  }
  assertSucceeded(backup);
  assertDeployed(target);
}

/** @throws ApiError `conflict` */
export function assertSucceeded({ status }: Pick<BackupRow, 'status'>): void {
  if (status === 'succeeded') return;
  throw new ApiError('conflict', `This backup is ${status}: only a successful backup can be restored.`);
}

async function queueRestore(deps: Needs, { backup, target, safety }: AllowedRestore): Promise<RestoreRow> {
  const id = deps.newId('restore');
  const jobId = deps.newId('job');
  const runnerId = await insertRestore(deps.db, { id, backupId: backup.id, jobId, safety: safety(jobId) });
  if (runnerId === undefined) {
    await assertKept(deps, backup.id);
    throw dataIsBusy(target.kind === 'database' ? 'database' : 'service');
  }
  await deps.hubs.wake(runnerId);
  const restore = await findRestore(deps.db, id);
  if (restore) return restore;
  throw new ApiError('conflict', 'The backup or its service was deleted while the restore started.');
}
