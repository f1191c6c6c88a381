import type { ProxyResult } from '../../../protocol/host-task.ts';
import {
  assertNoOutsideRestore,
  insertHostTasks,
  noteLogPurges,
  selectRemovedServices,
} from '../../store/removal-store.ts';
import { deleteService as deleteRow } from '../../store/service-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';
import { refuseOutsideRestore } from './refuse-outside-restore.ts';
import { removalTasks, volumeRemovals } from './removal-tasks.ts';

/**
 * Deletes a service and everything that belongs to it. A running deployment is stopped on its host. The data of a database is deleted a
 * day later.
 * @throws ApiError `conflict` while one of its backups is being restored into another service
 */
export async function deleteService(deps: Dependencies, serviceId: string): Promise<ProxyResult> {
  const { db } = deps;
  const at = deps.now();
  const rows = await selectRemovedServices(db, { serviceId });
  const tasks = removalTasks(rows, deps.newId);
  const volumes = volumeRemovals(rows, deps.newId, at);
  try {
    await db.batch([
      assertNoOutsideRestore(db, { serviceId }),
      insertHostTasks(db, [...tasks, ...volumes.tasks], at),
      noteLogPurges(db, { serviceId }, at),
      deleteRow(db, serviceId),
    ]);
  } catch (error) {
    if (!violates(error, 'NOT NULL', 'services.name')) throw error;
    await refuseOutsideRestore(deps, { serviceId });
    // That restore has ended since: try again.
    return deleteService(deps, serviceId);
  }
  const { ok, detail } = await removeFromHosts(deps, tasks);
  return { ok, detail: detail + volumes.sentence };
}
