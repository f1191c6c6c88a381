import type { ProxyResult } from '../../../protocol/host-task.ts';
import { ApiError } from '../../domain/errors.ts';
import { deleteProject as deleteRow } from '../../store/project-store.ts';
import {
  assertNothingLent,
  assertServicesAre,
  insertHostTasks,
  type NewHostTask,
  noteLogPurges,
  selectRemovedServices,
} from '../../store/removal-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';
import { refuseLentBackup } from '../services/refuse-lent-backup.ts';
import { removalTasks, volumeRemovals } from '../services/removal-tasks.ts';

/** Services that come or go at the same moment: each round that loses looks again at what is there. */
const attemptsMax = 4;

/**
 * Deletes a project with all its services. On each host first the services go, then what the project itself has there, and the data of
 * databases a day later.
 * @throws ApiError `conflict` while services keep coming and going, or a backup of one is being restored into another project's service.
 */
export async function deleteProject(deps: Dependencies, projectId: string): Promise<ProxyResult> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const removal = await write(deps, projectId);
    if (!removal) {
      await refuseLentBackup(deps, { projectId });
      continue;
    }
    const routes = await removeFromHosts(deps, removal.services);
    const rest = await removeFromHosts(deps, removal.projects);
    const { ok, detail } = routes.ok && !rest.ok ? rest : routes;
    return { ok, detail: detail + removal.volumes.sentence };
  }
  throw new ApiError('conflict', 'Services of the project are being created or transferred: try again.');
}

/** Rows and tasks in one batch. @returns undefined when a service came or went since they were read, or a backup is lent: nothing was written. */
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
      assertNothingLent(db, { projectId }),
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
