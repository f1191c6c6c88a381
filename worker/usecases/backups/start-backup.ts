import type { EngineName } from '../../../protocol/database.ts';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import { type BackupStorage, backupFormatOf, keepsRemotely } from '../../domain/backups/backup-format.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { backupBytesUsedUp } from '../../domain/tenants/quotas.ts';
import {
  type BackupRow,
  findBackup,
  insertBackup,
  type NewBackup,
  type StartedBackup,
} from '../../store/backups/backup-store.ts';
import { findTenantOfProject } from '../../store/projects/tenant-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { findVolume, type VolumeRow } from '../../store/services/volume-store.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertBucket } from './assert-bucket.ts';
import { assertOnHost, type SubjectKind } from './backup-subjects.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now' | 'initiator'>;

const bucketRefusal = (trouble: string) =>
  `storage: the control plane's bucket is not working (${trouble}). Choose "disk", or ask the operator to check the bucket (the setting "backupBucket", or else R2).`;

/** The error if no job on a service's data could be queued. */
export const dataIsBusy = (kind: SubjectKind = 'database', jobs = 'backup, restore or import') =>
  new ApiError(
    'conflict',
    `Another ${jobs} of this ${kind === 'database' ? kind : 'service'} is in progress: wait until it ends, or abort it.`,
  );

/** A volume to copy, and what its service does during the copy. */
export interface CopiedVolume {
  id: string;
  quiesce: Quiesce;
}

/**
 * Queues a backup of a database, or of a volume, on the service's host.
 * @param wanted `volume` is undefined for the database
 * @throws ApiError `unsupported` for a service that is not a database; `not_found` if the service has no such volume; `quota_exceeded`; `conflict` if
 *   it is not deployed, another job uses its data, or a copy should be stored in the bucket and the bucket does not work
 */
export async function startBackup(
  deps: Needs,
  service: ServiceRow,
  wanted: {
    storage: BackupStorage;
    trigger: Exclude<BackupRow['trigger'], 'pre-restore' | 'move'>;
    volume?: CopiedVolume | undefined;
  },
): Promise<StartedBackup> {
  const { volume, ...given } = wanted;
  if (volume) await volumeOf(deps, service, volume.id);
  const backup = newBackup(deps, service, { ...given, jobId: deps.newId('job') }, volume);
  const kind = volume ? 'volume' : 'database';
  assertOnHost(service, kind);
  if (volume?.quiesce.type === 'command' && service.stopped) {
    throw new ApiError(
      'conflict',
      'quiesce: the service is stopped, so no command can run in it: choose "none", which is safe now.',
    );
  }
  if (keepsRemotely(backup.storage)) await assertBucket(deps, bucketRefusal);
  const runnerId = await insertBackup(deps.db, backup);
  if (runnerId === undefined) throw await whyNotQueued(deps, service, kind);
  await deps.hubs.wake(runnerId);
  const row = await findBackup(deps.db, backup.id);
  if (row) return row;
  throw new ApiError('conflict', 'The service was deleted while the backup started.');
}

async function whyNotQueued(
  { db }: Pick<Dependencies, 'db'>,
  service: ServiceRow,
  kind: SubjectKind,
): Promise<ApiError> {
  const tenant = await findTenantOfProject(db, service.projectId);
  const ceiling = tenant?.tenant.quotas.backupBytes;
  const used = tenant?.usage.backupBytes ?? 0;
  return ceiling !== undefined && used >= ceiling ? backupBytesUsedUp({ used, ceiling }) : dataIsBusy(kind);
}

/** @throws ApiError `not_found` */
export async function volumeOf(
  { db }: Pick<Needs, 'db'>,
  service: ServiceRow,
  volumeId: string,
): Promise<VolumeRow> {
  const volume = await findVolume(db, volumeId);
  if (volume?.serviceId === service.id) return volume;
  throw absent('volume');
}

/**
 * The initial row of a backup, or of the safety copy before a restore or import.
 * @param volume undefined for the database
 * @throws ApiError `unsupported` without a volume, for a service that is not a database
 */
export function newBackup(
  { newId, now, initiator }: Pick<Dependencies, 'newId' | 'now' | 'initiator'>,
  service: ServiceRow,
  given: Pick<NewBackup, 'storage' | 'trigger' | 'jobId'>,
  volume?: CopiedVolume,
): NewBackup {
  const contents = volume
    ? ({ engine: 'volume', format: 'tar', volumeId: volume.id, quiesce: volume.quiesce } as const)
    : databaseContents(engineOfDatabase(service));
  return {
    id: newId('backup'),
    serviceId: service.id,
    ...contents,
    startedBy: initiator,
    createdAt: now(),
    ...given,
  };
}

const databaseContents = (engine: EngineName) => ({
  ...{ engine, format: backupFormatOf[engine], volumeId: null, quiesce: null },
});
