/** Backups of volumes: start one, restore one. Everything else about them is the same as for databases (usecases/backups). */
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import type { BackupStorage } from '../../domain/backups/backup-format.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import type { BackupRow, NewBackup, RestoreRow } from '../../store/backups/backup-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { findVolume, type VolumeRow } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertSucceeded, restoreInto, safetyCopy } from './restore-backup.ts';
import { queueBackup } from './start-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;
type StartedTrigger = Exclude<BackupRow['trigger'], 'pre-restore' | 'move'>;

/**
 * Queues a backup of a volume on the service's host.
 * @throws ApiError `not_found` when the service has no such volume; `quota_exceeded`; `conflict` if the service was never deployed, another
 *   job uses its data, or a copy should go to the bucket and that does not work
 */
export async function startVolumeBackup(
  deps: Needs,
  service: ServiceRow,
  {
    volumeId,
    storage,
    quiesce,
    trigger,
  }: { volumeId: string; storage: BackupStorage; quiesce: Quiesce; trigger: StartedTrigger },
): Promise<BackupRow> {
  const volume = await volumeOf(deps, service, volumeId);
  assertOnHost(service);
  if (quiesce.type === 'command' && service.stopped) {
    throw new ApiError(
      'conflict',
      'quiesce: the service is stopped, so no command can run in it: choose "none", which is safe now.',
    );
  }
  const jobId = deps.newId('job');
  const backup = newVolumeBackup(deps, volume, { storage, trigger, jobId, quiesce });
  return await queueBackup(deps, service, backup);
}

/**
 * Replaces the files of a volume with those of a backup, and waits for the end.
 * @param volumeId of the same service; by default the backup's own
 * @throws ApiError `unsupported` for a backup of a database; `not_found` when the volume does not exist; otherwise as `restoreBackup`
 */
export async function restoreVolumeBackup(
  deps: Needs,
  { backup, service }: { backup: BackupRow; service: ServiceRow },
  volumeId?: string,
): Promise<RestoreRow> {
  const ofVolume = volumeIdOf(backup);
  const volume = await volumeOf(deps, service, volumeId ?? ofVolume);
  assertSucceeded(backup);
  assertOnHost(service);
  const quiesce = { type: 'stop' as const };
  const safety = (jobId: string) => newVolumeBackup(deps, volume, { ...safetyCopy, jobId, quiesce });
  return await restoreInto(deps, { backup, target: service, safety });
}

/** @throws ApiError `unsupported` for a backup of a database */
export function volumeIdOf({ volumeId }: BackupRow): string {
  if (volumeId !== null) return volumeId;
  throw new ApiError(
    'unsupported',
    'This is a backup of a database: use the routes under "database/backups".',
  );
}

async function volumeOf(
  { db }: Pick<Needs, 'db'>,
  service: ServiceRow,
  volumeId: string,
): Promise<VolumeRow> {
  const volume = await findVolume(db, volumeId);
  if (volume?.serviceId === service.id) return volume;
  throw absent('volume');
}

/** The host makes a volume with the first deployment after it. */
export function assertOnHost({ lastDeployedAt }: ServiceRow): void {
  if (lastDeployedAt !== null) return;
  throw new ApiError(
    'conflict',
    'The service was never deployed, so its volume is not on a host yet: deploy it first.',
  );
}

function newVolumeBackup(
  { newId, now }: Pick<Needs, 'newId' | 'now'>,
  { id: volumeId, serviceId }: VolumeRow,
  given: Pick<NewBackup, 'storage' | 'trigger' | 'jobId' | 'quiesce'>,
): NewBackup {
  return {
    id: newId('backup'),
    serviceId,
    engine: 'volume',
    format: 'tar',
    volumeId,
    createdAt: now(),
    ...given,
  };
}
