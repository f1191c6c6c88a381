import { ApiError } from '../../domain/errors.ts';
import type { BackupRow } from '../../store/backup-store.ts';
import { type DrillRow, findDrill, insertDrill } from '../../store/drill-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertKept } from './delete-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

/**
 * Queues a restore drill of a backup on the host where its database is.
 * @throws ApiError `unsupported` for what is no database, or another one than the backup is of; `conflict` for a backup that did not
 *   succeed or is being deleted, a database that is not deployed, or on which another job works
 */
export async function startDrill(
  deps: Needs,
  { backup, service }: { backup: BackupRow; service: ServiceRow },
  trigger: DrillRow['trigger'],
): Promise<DrillRow> {
  assertDrillable(backup, service);
  const id = deps.newId('drill');
  const runnerId = await insertDrill(deps.db, {
    ...{ id, backupId: backup.id, serviceId: service.id },
    ...{ jobId: deps.newId('job'), trigger, createdAt: deps.now() },
  });
  if (runnerId === undefined) {
    await assertKept(deps, backup.id);
    throw isBusy();
  }
  await deps.hubs.wake(runnerId);
  const row = await findDrill(deps.db, id);
  if (row) return row;
  throw new ApiError('conflict', 'The backup or its service was deleted while the drill began.');
}

function assertDrillable(backup: BackupRow, service: ServiceRow): void {
  if (backup.status !== 'succeeded') {
    throw new ApiError(
      'conflict',
      `This backup is ${backup.status}: only one that succeeded can be tried out.`,
    );
  }
  const engine = engineOfDatabase(service);
  assertDeployed(service);
  if (engine === backup.engine) return;
  throw new ApiError('unsupported', `The backup is of ${backup.engine}, and the service runs ${engine} now.`);
}

const isBusy = () =>
  new ApiError(
    'conflict',
    'Another backup, restore, import or drill of this database is at work: wait for its end, or abort it.',
  );
