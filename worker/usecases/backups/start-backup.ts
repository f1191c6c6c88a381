import { type BackupStorage, backupFormatOf, keepsRemotely } from '../../domain/backups/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import { backupBytesUsedUp } from '../../domain/tenants/quotas.ts';
import {
  type BackupRow,
  findBackup,
  insertBackup,
  type NewBackup,
} from '../../store/backups/backup-store.ts';
import { findTenantOfProject } from '../../store/projects/tenant-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertBucket } from './assert-bucket.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

const bucketRefusal = (trouble: string) =>
  `storage: the control plane's bucket is not working (${trouble}). Choose "disk", or ask the operator to check the bucket (the setting "backupBucket", or else R2).`;

/** The error when no job on a service's data could be queued. */
export const dataIsBusy = (subject = 'database') =>
  new ApiError(
    'conflict',
    `Another backup, restore or import of this ${subject} is in progress: wait until it ends, or abort it.`,
  );

/**
 * Queues a backup on the host of the database.
 * @throws ApiError `unsupported` for a service that is not a database; `quota_exceeded`; `conflict` if it is not deployed, another job uses
 *   its data, or a copy should go to the bucket and that does not work
 */
export async function startBackup(
  deps: Needs,
  service: ServiceRow,
  {
    storage,
    trigger,
  }: { storage: BackupStorage; trigger: Exclude<BackupRow['trigger'], 'pre-restore' | 'move'> },
): Promise<BackupRow> {
  const backup = newBackup(deps, service, { storage, trigger, jobId: deps.newId('job') });
  assertDeployed(service);
  return await queueBackup(deps, service, backup);
}

/** @throws ApiError as `startBackup` */
export async function queueBackup(deps: Needs, service: ServiceRow, backup: NewBackup): Promise<BackupRow> {
  if (keepsRemotely(backup.storage)) await assertBucket(deps, bucketRefusal);
  const runnerId = await insertBackup(deps.db, backup);
  if (runnerId === undefined) throw await whyNotQueued(deps, service);
  await deps.hubs.wake(runnerId);
  const row = await findBackup(deps.db, backup.id);
  if (row) return row;
  throw new ApiError('conflict', 'The service was deleted while the backup started.');
}

async function whyNotQueued({ db }: Pick<Dependencies, 'db'>, service: ServiceRow): Promise<ApiError> {
  const tenant = await findTenantOfProject(db, service.projectId);
  const ceiling = tenant?.tenant.quotas.backupBytes;
  const used = tenant?.usage.backupBytes ?? 0;
  return ceiling !== undefined && used >= ceiling
    ? backupBytesUsedUp({ used, ceiling })
    : dataIsBusy(service.kind === 'database' ? 'database' : 'service');
}

/** The initial row of a backup, or of the safety copy before a restore or import. */
export function newBackup(
  { newId, now }: Pick<Dependencies, 'newId' | 'now'>,
  service: ServiceRow,
  given: Pick<NewBackup, 'storage' | 'trigger' | 'jobId'>,
): NewBackup {
  const engine = engineOfDatabase(service);
  const id = newId('backup');
  const format = backupFormatOf[engine];
  const none = { volumeId: null, quiesce: null };
  return { id, serviceId: service.id, engine, ...none, format, createdAt: now(), ...given };
}
