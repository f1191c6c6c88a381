import { ApiError } from '../../domain/errors.ts';
import type { BackupRow } from '../../store/backups/backup-store.ts';
import { type DrillRow, findDrill, insertDrill } from '../../store/backups/drill-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertKept } from './delete-backup.ts';
import { assertOnHost } from './volume-backups.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

/**
 * Queues a restore drill of a backup on the host of its database, or of its volume's service.
 * @throws ApiError `unsupported` for a backup of a database whose service is none any more or now has another engine; `conflict` for a backup that did not
 *   succeed or is being deleted, and for a service that is not deployed or is used by another job
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
    throw isBusy(backup.volumeId === null ? 'database' : 'service');
  }
  await deps.hubs.wake(runnerId);
  const row = await findDrill(deps.db, id);
  if (row) return row;
  throw new ApiError('conflict', 'The backup or its service was deleted while the drill started.');
}

/** What can never be right is refused before what is wrong at this moment. */
function assertDrillable(backup: BackupRow, service: ServiceRow): void {
  if (backup.volumeId === null) assertSameEngine(backup, service);
  if (backup.status !== 'succeeded') {
    throw new ApiError(
      'conflict',
      `This backup is ${backup.status}: only a successful backup can be tested.`,
    );
  }
  if (backup.volumeId === null) assertDeployed(service);
  else assertOnHost(service);
}

function assertSameEngine(backup: BackupRow, service: ServiceRow): void {
  const engine = engineOfDatabase(service);
  if (engine === backup.engine) return;
  throw new ApiError(
    'unsupported',
    `The backup is from ${backup.engine}, but the service now runs ${engine}.`,
  );
}

const isBusy = (subject: 'database' | 'service') =>
  new ApiError(
    'conflict',
    `Another backup, restore, import or drill of this ${subject} is in progress: wait until it ends, or abort it.`,
  );
