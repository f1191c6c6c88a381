import { type BackupStorage, backupFormatOf, keepsRemotely } from '../../domain/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import { backupBytesUsedUp } from '../../domain/quotas.ts';
import { type BackupRow, findBackup, insertBackup, type NewBackup } from '../../store/backup-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { findTenantOfProject } from '../../store/tenant-store.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertBucket } from './assert-bucket.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

const bucketRefusal = (trouble: string) =>
  `storage: the bucket of the control plane takes nothing now (${trouble}): choose "disk", or have the operator look at the bucket: the one of the setting "backupBucket", else R2.`;

/** Why no job on the data of a service was queued. */
export const dataIsBusy = () =>
  new ApiError(
    'conflict',
    'Another backup, restore or import of this database is at work: wait for its end, or abort it.',
  );

/**
 * Queues a backup on the host where the data is.
 * @throws ApiError `unsupported` for what is no database; `quota_exceeded`; `conflict` when it is not deployed, another job works on its
 *   data, or the bucket that is to keep a copy takes nothing
 */
export async function startBackup(
  deps: Needs,
  service: ServiceRow,
  { storage, trigger }: { storage: BackupStorage; trigger: Exclude<BackupRow['trigger'], 'pre-restore'> },
): Promise<BackupRow> {
  const backup = newBackup(deps, service, { storage, trigger, jobId: deps.newId('job') });
  assertDeployed(service);
  if (keepsRemotely(storage)) await assertBucket(deps, bucketRefusal);
  const runnerId = await insertBackup(deps.db, backup);
  if (runnerId === undefined) throw await whyNotQueued(deps, service);
  await deps.hubs.wake(runnerId);
  const row = await findBackup(deps.db, backup.id);
  if (row) return row;
  throw new ApiError('conflict', 'The service was deleted while the backup began.');
}

async function whyNotQueued({ db }: Pick<Dependencies, 'db'>, service: ServiceRow): Promise<ApiError> {
  const tenant = await findTenantOfProject(db, service.projectId);
  const ceiling = tenant?.tenant.quotas.backupBytes;
  const used = tenant?.usage.backupBytes ?? 0;
  return ceiling !== undefined && used >= ceiling ? backupBytesUsedUp({ used, ceiling }) : dataIsBusy();
}

/** The row that a job's own backup, or safety copy, begins with. */
export function newBackup(
  { newId, now }: Pick<Dependencies, 'newId' | 'now'>,
  service: ServiceRow,
  given: Pick<NewBackup, 'storage' | 'trigger' | 'jobId'>,
): NewBackup {
  const engine = engineOfDatabase(service);
  const id = newId('backup');
  return { id, serviceId: service.id, engine, format: backupFormatOf[engine], createdAt: now(), ...given };
}
