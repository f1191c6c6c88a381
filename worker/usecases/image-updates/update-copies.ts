/** The backups of an update: taken and tested before it, restored after its failure. One job at a time: a service has only one. */
import { platform } from '../../domain/access/initiator.ts';
import { ApiError } from '../../domain/errors.ts';
import type { UpdateCopy } from '../../domain/image-updates/image-update.ts';
import { findBackup, findRestore, selectBackupSettings } from '../../store/backups/backup-store.ts';
import { findDrill } from '../../store/backups/drill-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { startRestore } from '../backups/restore-backup.ts';
import { startBackup } from '../backups/start-backup.ts';
import { startDrill } from '../backups/start-drill.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

/** `waiting`: for a job. `failed`: a sentence. */
export type CopiesState = 'done' | 'waiting' | { failed: string };

/** A copy with the ids of a job that was started, or its state. */
type CopyStep = { save: UpdateCopy } | CopiesState;

/**
 * Takes a backup of each volume and tests it by a drill.
 * @param save stores the copies with the ids of a started job
 */
export const proveCopies = (
  deps: Needs,
  service: ServiceRow,
  copies: readonly UpdateCopy[],
  save: (copies: UpdateCopy[]) => Promise<unknown>,
): Promise<CopiesState> => inTurn(copies, save, (copy) => proveOne(deps, service, copy));

/** Restores the backup of each volume. @param save as in `proveCopies` */
export const restoreCopies = (
  deps: Needs,
  service: ServiceRow,
  copies: readonly UpdateCopy[],
  save: (copies: UpdateCopy[]) => Promise<unknown>,
): Promise<CopiesState> => inTurn(copies, save, (copy) => restoreOne(deps, service, copy));

async function inTurn(
  copies: readonly UpdateCopy[],
  save: (copies: UpdateCopy[]) => Promise<unknown>,
  step: (copy: UpdateCopy) => Promise<CopyStep>,
): Promise<CopiesState> {
  let all = [...copies];
  for (const { volumeId } of copies) {
    for (;;) {
      const copy = all.find((one) => one.volumeId === volumeId);
      if (!copy) break;
      const state = await refusalOr(() => step(copy));
      if (state === 'done') break;
      if (state === 'waiting' || 'failed' in state) return state;
      all = all.map((one) => (one.volumeId === volumeId ? state.save : one));
      await save(all);
    }
  }
  return 'done';
}

/** A job of somebody else delays an update; any other refusal ends it. */
async function refusalOr(step: () => Promise<CopyStep>): Promise<CopyStep> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === 'conflict' ? 'waiting' : { failed: error.message };
  }
}

async function proveOne(deps: Needs, service: ServiceRow, copy: UpdateCopy): Promise<CopyStep> {
  const { db } = deps;
  const act = { ...deps, initiator: platform };
  if (copy.isProven) return 'done';
  const backup = copy.backupId === null ? undefined : await findBackup(db, copy.backupId);
  if (!backup) {
    const [settings] = await selectBackupSettings(db, service.id);
    const started = await startBackup(act, service, {
      ...{ storage: settings?.storage ?? 'disk', trigger: 'pre-update' },
      volume: { id: copy.volumeId, quiesce: settings?.quiesce ?? { type: 'stop' } },
    });
    return { save: { ...copy, backupId: started.id, drillId: null } };
  }
  if (backup.status === 'running') return 'waiting';
  if (backup.status === 'failed')
    return { failed: `The backup of a volume failed, so nothing was deployed: ${backup.error ?? ''}` };
  const drill = copy.drillId === null ? undefined : await findDrill(db, copy.drillId);
  if (drill?.status === 'running') return 'waiting';
  if (drill?.status === 'succeeded') return { save: { ...copy, isProven: true } };
  if (drill?.status === 'skipped')
    return {
      failed: `The backup of a volume could not be tested, so nothing was deployed: ${drill.error ?? ''}`,
    };
  if (drill?.status === 'failed')
    return {
      failed: `The backup of a volume can't be restored, so nothing was deployed: ${drill.error ?? ''}`,
    };
  // A drill that had to end for another job is repeated.
  const started = await startDrill(act, { backup, service }, 'manual');
  return { save: { ...copy, drillId: started.id } };
}

async function restoreOne(deps: Needs, service: ServiceRow, copy: UpdateCopy): Promise<CopyStep> {
  const { db } = deps;
  const restore = copy.restoreId === null ? undefined : await findRestore(db, copy.restoreId);
  if (restore?.status === 'succeeded') return 'done';
  if (restore?.status === 'running') return 'waiting';
  const backup = copy.backupId === null ? undefined : await findBackup(db, copy.backupId);
  if (!backup) return { failed: 'the backup before the update was deleted.' };
  if (restore) return { failed: `${restore.error ?? ''} Restore the backup ${backup.id} by hand.` };
  const started = await startRestore({ ...deps, initiator: platform }, 'volume', { backup, target: service });
  return { save: { ...copy, restoreId: started.id } };
}
