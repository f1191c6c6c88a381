/** Volumes of a service: create, change. Both take effect with its next deployment. */
import { ApiError, absent } from '../../domain/errors.ts';
import { assertTakesVolume, assertVolumeFits } from '../../domain/services/volumes.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import { refuseOverQuota } from '../../store/projects/tenant-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import {
  insertVolume,
  selectVolumes,
  updateVolume,
  type VolumeRow,
} from '../../store/services/volume-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { withinQuota } from '../within-quota.ts';

/**
 * Creates a volume. The host creates its directory with the next deployment.
 * @throws ApiError `unsupported` for databases and static sites; `conflict` if the name or path is in use, for too many volumes, or during a move of
 *   the service; `quota_exceeded`
 */
export async function createVolume(
  deps: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  { service, project }: { service: ServiceRow; project: Pick<ProjectRow, 'tenantId'> },
  wanted: Pick<VolumeRow, 'name' | 'mountPath'> & { sizeMb?: number | null | undefined },
): Promise<VolumeRow> {
  const { db, newId, now } = deps;
  const others = await selectVolumes(db, service.id);
  assertTakesVolume(service, others);
  assertVolumeFits(wanted, others);
  const at = now();
  const { name, mountPath, sizeMb = null } = wanted;
  const volume: VolumeRow = {
    ...{ id: newId('volume'), serviceId: service.id, name, mountPath, sizeMb, usedMb: null },
    ...{ createdAt: at, updatedAt: at },
  };
  const [written] = await withinQuota(deps, project.tenantId, { volumes: 1 }, () =>
    orChanged(() => db.batch([insertVolume(db, volume), refuseOverQuota(db, project.tenantId, ['volumes'])])),
  );
  if (written.length === 0) throw changedMeanwhile();
  return volume;
}

/** @throws ApiError `conflict` if the name or path is in use; `not_found` if the volume has been deleted since */
export async function changeVolume(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  volume: VolumeRow,
  patch: { name?: string | undefined; mountPath?: string | undefined; sizeMb?: number | null | undefined },
): Promise<VolumeRow> {
  const all = await selectVolumes(db, volume.serviceId);
  if (!all.some(({ id }) => id === volume.id)) throw absent('volume');
  assertVolumeFits(
    patch,
    all.filter(({ id }) => id !== volume.id),
  );
  const { name = volume.name, mountPath = volume.mountPath, sizeMb = volume.sizeMb } = patch;
  const changed = { ...volume, name, mountPath, sizeMb, updatedAt: now() };
  const [written] = await orChanged(() => updateVolume(db, changed));
  if (!written) throw changedMeanwhile();
  return written;
}

async function orChanged<Result>(write: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw violates(error, 'UNIQUE') ? changedMeanwhile() : error;
  }
}

const changedMeanwhile = () =>
  new ApiError(
    'conflict',
    'Another request has changed the service or its volumes in the meantime: try again.',
  );
