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
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOnHost, assertSucceeded, type SubjectKind, volumeIdOf } from './backup-subjects.ts';
import { assertKept } from './delete-backup.ts';
import { type CopiedVolume, dataIsBusy, newBackup, volumeOf } from './start-backup.ts';

/** Maximum wait of a request: proxies in front of the client give up after five minutes at most. */
const restoreWaitMs = 240_000;

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'initiator'>;

interface WantedRestore {
  backup: BackupRow;
  /** The service whose data is replaced. */
  target: ServiceRow;
  /** The volume of that service; by default the backup's own. Only for the kind `volume`. */
  volumeId?: string | undefined;
}

/**
 * Restores a backup and waits for the end; joins a restore of it that is already running. It continues if the client disconnects.
 * @param kind the subject that is replaced: the database, or a volume
 * @throws ApiError `conflict` for a backup that did not succeed or is being deleted, or a busy target; `unsupported` for another engine, and for a
 *   backup of the other kind; `not_found` if the volume does not exist; `restore_failed` with the reason (the data is unchanged then);
 *   `restore_still_running` after 240 s
 */
export async function restoreBackup(
  deps: Needs,
  kind: SubjectKind,
  wanted: WantedRestore,
): Promise<RestoreRow> {
  const { target } = wanted;
  const restore = await startRestore(deps, kind, wanted);
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

/**
 * Queues a restore, or finds the running one of the same backup.
 * @throws ApiError as `restoreBackup`, except for the end of the restore
 */
export async function startRestore(
  deps: Needs,
  kind: SubjectKind,
  wanted: WantedRestore,
): Promise<RestoreRow> {
  const { backup, target } = wanted;
  const volume = kind === 'volume' ? await replacedVolume(deps, wanted) : undefined;
  // Requests that can never be valid are refused before temporary problems are checked.
  if (kind === 'database') assertSameEngine(wanted);
  assertSucceeded(backup, 'can be restored');
  assertOnHost(target, kind);
  const safety = (jobId: string) =>
    newBackup(deps, target, { storage: 'disk', trigger: 'pre-restore', jobId }, volume);
  const open = await findOpenRestore(deps.db, backup.id);
  if (open && open.serviceId !== target.id) {
    throw new ApiError(
      'conflict',
      'This backup is being restored into another service: wait until that ends.',
    );
  }
  return open ?? (await queueRestore(deps, kind, { ...wanted, safety }));
}

async function replacedVolume(
  deps: Needs,
  { backup, target, volumeId }: WantedRestore,
): Promise<CopiedVolume> {
  const ofBackup = volumeIdOf(backup);
  const { id } = await volumeOf(deps, target, volumeId ?? ofBackup);
  return { id, quiesce: { type: 'stop' } };
}

function assertSameEngine({ backup, target }: WantedRestore): void {
  const engine = engineOfDatabase(target);
  if (engine === backup.engine) return;
  throw new ApiError(
    'unsupported',
    `targetServiceId: the backup is from ${backup.engine}, but this service runs ${engine}.`,
  );
}

/** @param restoring `safety` returns the row of the safety copy for a job with this id */
async function queueRestore(
  deps: Needs,
  kind: SubjectKind,
  { backup, safety }: WantedRestore & { safety: (jobId: string) => NewBackup },
): Promise<RestoreRow> {
  const id = deps.newId('restore');
  const jobId = deps.newId('job');
  const runnerId = await insertRestore(deps.db, { id, backupId: backup.id, jobId, safety: safety(jobId) });
  if (runnerId === undefined) {
    await assertKept(deps, backup.id);
    throw dataIsBusy(kind);
  }
  await deps.hubs.wake(runnerId);
  const restore = await findRestore(deps.db, id);
  if (restore) return restore;
  throw new ApiError('conflict', 'The backup or its service was deleted while the restore started.');
}
