import { ApiError } from '../../domain/errors.ts';
import type { BackupRow } from '../../store/backups/backup-store.ts';
import { type DrillRow, findDrill, insertDrill, type StartedDrill } from '../../store/backups/drill-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOnHost, assertSucceeded } from './backup-subjects.ts';
import { assertKept } from './delete-backup.ts';
import { dataIsBusy } from './start-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'initiator'>;

/**
 * Queues a restore drill of a backup on the host of its database, or of its volume's service.
 * @throws ApiError `unsupported` for a backup of a database whose service is no database any more or has another engine; `conflict` for a backup that
 *   did not succeed or is being deleted, and for a service that is not deployed or is used by another job
 */
export async function startDrill(
  deps: Needs,
  { backup, service }: { backup: BackupRow; service: ServiceRow },
  trigger: DrillRow['trigger'],
): Promise<StartedDrill> {
  const kind = backup.volumeId === null ? 'database' : 'volume';
  // Requests that can never be valid are refused before temporary problems are checked.
  if (kind === 'database') assertSameEngine(backup, service);
  assertSucceeded(backup, 'can be tested');
  assertOnHost(service, kind);
  const id = deps.newId('drill');
  const runnerId = await insertDrill(deps.db, {
    ...{ id, backupId: backup.id, serviceId: service.id },
    ...{ jobId: deps.newId('job'), trigger, startedBy: deps.initiator, createdAt: deps.now() },
  });
  if (runnerId === undefined) {
    await assertKept(deps, backup.id);
    throw dataIsBusy(kind, 'backup, restore, import or drill');
  }
  await deps.hubs.wake(runnerId);
  const row = await findDrill(deps.db, id);
  if (row) return row;
  throw new ApiError('conflict', 'The backup or its service was deleted while the drill started.');
}

function assertSameEngine(backup: BackupRow, service: ServiceRow): void {
  const engine = engineOfDatabase(service);
  if (engine === backup.engine) return;
  throw new ApiError(
    'unsupported',
    `The backup is from ${backup.engine}, but the service now runs ${engine}.`,
  );
}
