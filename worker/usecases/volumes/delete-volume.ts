/** Volumes of a service: delete, restore. */

import { ApiError, absent } from '../../domain/errors.ts';
import { isProtected } from '../../domain/projects/deletions.ts';
import { assertTakesVolume, assertVolumeFits } from '../../domain/services/volumes.ts';
import { type DeletionRow, readDeletedRows } from '../../store/deletions/deletion-store.ts';
import { listProtected } from '../../store/deletions/removal-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { findVolume, keepVolume, selectVolumes, type VolumeRow } from '../../store/services/volume-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { refuseOverKept } from '../deletions/refuse-kept.ts';
import { restoreDeletion } from '../deletions/restore-deletion.ts';
import { newDeletion, settleDeletion } from '../deletions/settle-deletion.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Deletes a volume. The running version keeps it until the next deployment; its data is stored for a restore, then removed from the host.
 * @returns a sentence with the time and the request for a restore
 * @throws ApiError `protected` if its service is protected; `quota_exceeded` if the tenant has too many stored deletions
 */
export async function deleteVolume(
  deps: Dependencies,
  { volume, service }: { volume: { id: string }; service: { id: string; projectId: string } },
): Promise<string> {
  const { db } = deps;
  const deleted = { volumeId: volume.id };
  const deletion = newDeletion(deps, await selectSettings(db), { deleted, resourceId: volume.id });
  try {
    const [[kept]] = await db.batch(keepVolume(db, deletion, volume.id));
    return await settleDeletion(deps, deletion, kept);
  } catch (error) {
    await refuseOverKept(deps, error, service.projectId);
    if (!violates(error, 'FOREIGN KEY')) throw error;
  }
  const names = await listProtected(db, { serviceId: service.id });
  throw names.length > 0 ? isProtected(names) : absent('volume');
}

/**
 * Brings a deleted volume back with its data. The next deployment mounts it.
 * @param service undefined if it is deleted
 * @throws ApiError `conflict` if its name or path is in use, or its service has moved to another host or is deleted; `quota_exceeded`
 */
export async function restoreVolume(
  deps: Dependencies,
  deletion: DeletionRow,
  service: ServiceRow | undefined,
): Promise<VolumeRow> {
  const { db } = deps;
  const [kept] = await readDeletedRows<{ name: string; mount_path: string }>(
    db,
    deletion.resourceId,
    'volumes',
  );
  if (service && kept) {
    const others = await selectVolumes(db, service.id);
    assertTakesVolume(service, others);
    assertVolumeFits({ name: kept.name, mountPath: kept.mount_path }, others);
  }
  if (service && service.runnerId !== deletion.runnerId) {
    throw new ApiError(
      'conflict',
      'The data of this volume is on the host where its service was when it was deleted: move the service back there first, by setting "runnerId".',
    );
  }
  await restoreDeletion(deps, deletion);
  const restored = await findVolume(db, deletion.resourceId);
  if (!restored) throw absent('volume');
  return restored;
}
