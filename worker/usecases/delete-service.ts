import type { ProxyResult } from '../../protocol/host-task.ts';
import {
  insertHostTasks,
  type NewHostTask,
  noteLogPurges,
  selectRemovedServices,
} from '../store/removal-store.ts';
import { deleteService as deleteRow } from '../store/service-store.ts';
import type { Dependencies } from './dependencies.ts';
import { removalTasks } from './removal-tasks.ts';
import { removeFromHosts } from './remove-from-hosts.ts';

/** Deletes a service and all that hangs on it; a deployment at work is ended on its host. */
export async function deleteService(deps: Dependencies, serviceId: string): Promise<ProxyResult> {
  const { db, now } = deps;
  const tasks: NewHostTask[] = removalTasks(await selectRemovedServices(db, { serviceId }), deps.newId);
  await db.batch([
    insertHostTasks(db, tasks, now()),
    noteLogPurges(db, { serviceId }, now()),
    deleteRow(db, serviceId),
  ]);
  return removeFromHosts(deps, tasks);
}
