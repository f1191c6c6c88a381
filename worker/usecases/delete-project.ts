import type { ProxyResult } from '../../protocol/host-task.ts';
import { deleteProject as deleteRow } from '../store/project-store.ts';
import {
  insertHostTasks,
  type NewHostTask,
  noteLogPurges,
  selectRemovedServices,
} from '../store/removal-store.ts';
import type { Dependencies } from './dependencies.ts';
import { removalTasks } from './removal-tasks.ts';
import { removeFromHosts } from './remove-from-hosts.ts';

/** Deletes a project with all its services. On each host first the services go, then what the project itself has there. */
export async function deleteProject(deps: Dependencies, projectId: string): Promise<ProxyResult> {
  const { db, now, newId } = deps;
  const services = removalTasks(await selectRemovedServices(db, { projectId }), newId);
  const hosts = new Set(services.map(({ runnerId }) => runnerId));
  const projects = Array.from(
    hosts,
    (runnerId): NewHostTask => ({
      id: newId('hostTask'),
      runnerId,
      task: { kind: 'remove-project', projectId },
    }),
  );
  await db.batch([
    insertHostTasks(db, [...services, ...projects], now()),
    noteLogPurges(db, { projectId }, now()),
    deleteRow(db, projectId),
  ]);
  const routes = await removeFromHosts(deps, services);
  const rest = await removeFromHosts(deps, projects);
  return routes.ok ? { ok: rest.ok, detail: rest.ok ? routes.detail : rest.detail } : routes;
}
