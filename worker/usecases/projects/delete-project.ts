import type { ProxyResult } from '../../../protocol/host-task.ts';
import { ApiError } from '../../domain/errors.ts';
import { deleteProject as deleteRow } from '../../store/project-store.ts';
import {
  assertNoOutsideRestore,
  assertServicesAre,
  insertHostTasks,
  type NewHostTask,
  noteLogPurges,
  selectRemovedServices,
} from '../../store/removal-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';
import { refuseOutsideRestore } from '../services/refuse-outside-restore.ts';
import { removalTasks, volumeRemovals } from '../services/removal-tasks.ts';

/** Bound for services that are created or deleted concurrently; each lost round reads them again. */
const attemptsMax = 4;

/**
 * Deletes a project with all its services. Each host first removes the services, then the project's network; the data of databases is
 * removed a day later.
 * @throws ApiError `conflict` if services keep changing, or if a backup of one is being restored into a service of another project
 */
export async function deleteProject(deps: Dependencies, projectId: string): Promise<ProxyResult> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const removal = await write(deps, projectId);
    if (!removal) {
      await refuseOutsideRestore(deps, { projectId });
      continue;
    }
    const routes = await removeFromHosts(deps, removal.services);
    const rest = await removeFromHosts(deps, removal.projects);
    const { ok, detail } = routes.ok && !rest.ok ? rest : routes;
    return { ok, detail: detail + removal.volumes.sentence };
  }
  throw new ApiError('conflict', 'Services of the project are being created or transferred: try again.');
}

/** Deletes rows and adds tasks in one batch. @returns undefined if the services changed since they were read or a backup is in use: nothing was written then */
async function write(deps: Dependencies, projectId: string) {
  const { db, newId } = deps;
  const at = deps.now();
  const rows = await selectRemovedServices(db, { projectId });
  const services = removalTasks(rows, newId);
  const volumes = volumeRemovals(rows, newId, at);
  const serviceIds = [...new Set(rows.map(({ id }) => id))];
  const projects = Array.from(
    new Set(services.map(({ runnerId }) => runnerId)),
    (runnerId): NewHostTask => ({
      id: newId('hostTask'),
      runnerId,
      task: { kind: 'remove-project', projectId, serviceIds },
    }),
  );
  try {
    await db.batch([
      assertNoOutsideRestore(db, { projectId }),
      assertServicesAre(db, projectId, serviceIds),
      insertHostTasks(db, [...services, ...projects, ...volumes.tasks], at),
      noteLogPurges(db, { projectId }, at),
      deleteRow(db, projectId),
    ]);
    return { services, projects, volumes };
  } catch (error) {
    if (violates(error, 'NOT NULL')) return undefined;
    throw error;
  }
}
