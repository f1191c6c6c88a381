import { databaseImageOf } from '../../domain/databases/database-engines.ts';
import { assertUpgradeTo, wayBackMs } from '../../domain/databases/database-upgrade.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  findUpgrade,
  insertUpgrade,
  type NewUpgrade,
  selectLastUpgrade,
  type UpgradeRow,
} from '../../store/databases/database-upgrade-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertDiskQuota } from '../within-quota.ts';
import { dataIsBusy, newBackup } from './start-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'initiator'>;

export interface UpgradeRequest {
  imageRef: string;
  dryRun: boolean;
  acceptNotKept: boolean;
}

/**
 * Queues an upgrade, or a dry run of one, on the host of the database.
 * @throws ApiError `unsupported` for a service that is not a database; `invalid_request` for an image that is no upgrade; `conflict` if it
 *   is not deployed or another job uses its data; `quota_exceeded` if its tenant is above its disk quota
 */
export async function upgradeDatabase(
  deps: Needs,
  service: ServiceRow,
  { imageRef, dryRun, acceptNotKept }: UpgradeRequest,
): Promise<UpgradeRow> {
  const fromImage = assertUpgradeTo(service, engineOfDatabase(service), imageRef);
  assertDeployed(service);
  await assertDiskQuota(deps, service);
  const jobId = deps.newId('job');
  return await queued(deps, service, {
    ...{ action: dryRun ? 'dry-run' : 'upgrade', jobId, fromImage, toImage: imageRef, acceptNotKept },
    undoes: null,
    safety: newBackup(deps, service, { storage: 'disk', trigger: 'pre-restore', jobId }),
  });
}

/**
 * Queues an undo of the last upgrade. Data that has been written since is lost.
 * @throws ApiError `unsupported`; `conflict` if there is no upgrade of the last 24 h to undo, or another job uses the data
 */
export async function undoUpgrade(deps: Needs, service: ServiceRow): Promise<UpgradeRow> {
  const engine = engineOfDatabase(service);
  const upgrade = undoable(await selectLastUpgrade(deps.db, service.id), deps.now());
  if (!upgrade)
    throw new ApiError(
      'conflict',
      'There is no upgrade of the last 24 hours to undo: restore the backup that was taken before the upgrade into a database of that version.',
    );
  return await queued(deps, service, {
    ...{ action: 'undo', jobId: deps.newId('job'), undoes: upgrade.id, acceptNotKept: true, safety: null },
    fromImage: databaseImageOf(service, engine),
    toImage: upgrade.fromImage,
  });
}

/** The last successful upgrade, if it can still be undone. @param rows newest first */
export function undoable([last]: readonly UpgradeRow[], now: number): UpgradeRow | undefined {
  if (last?.action !== 'upgrade' || last.finishedAt === null) return undefined;
  return now < last.finishedAt + wayBackMs ? last : undefined;
}

async function queued(
  deps: Needs,
  service: ServiceRow,
  given: Omit<NewUpgrade, 'id' | 'serviceId' | 'startedBy' | 'createdAt'>,
): Promise<UpgradeRow> {
  const id = deps.newId('upgrade');
  const upgrade = { id, serviceId: service.id, startedBy: deps.initiator, createdAt: deps.now(), ...given };
  const runnerId = await insertUpgrade(deps.db, upgrade);
  if (runnerId === undefined) throw dataIsBusy();
  await deps.hubs.wake(runnerId);
  const row = await findUpgrade(deps.db, id);
  if (row) return row;
  throw new ApiError('conflict', 'The service was deleted while the upgrade started.');
}
