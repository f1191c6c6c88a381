import type { ProxyResult } from '../../../protocol/host-task.ts';
import { ApiError } from '../../domain/errors.ts';
import { insertDeletion, keepRows } from '../../store/deletions/deletion-store.ts';
import {
  assertMayDelete,
  assertServicesAre,
  insertHostTasks,
  type NewHostTask,
  selectRemovedServices,
} from '../../store/deletions/removal-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { deleteProject as deleteRow } from '../../store/projects/project-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { refuseOverKept } from '../deletions/refuse-kept.ts';
import { type DeletionOptions, newDeletion, settleDeletion } from '../deletions/settle-deletion.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';
import { refuseDeletion } from '../services/refuse-deletion.ts';
import { removalTasks } from '../services/removal-tasks.ts';

/** Limit for services that are created or deleted concurrently; each lost round reads them again. */
const attemptsMax = 4;

/**
 * Deletes a project with all its services, and stores everything for a restore. Each host first stops the services, then removes the project's
 * network.
 * @throws ApiError `protected` if one of them is protected; `quota_exceeded` if the tenant has too many stored deletions; `conflict` if services keep
 *   changing, or if a backup of one is being restored into a service of another project
 */
export async function deleteProject(
  deps: Dependencies,
  projectId: string,
  options: DeletionOptions = {},
): Promise<ProxyResult> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const removal = await write(deps, projectId, options);
    if (!removal) {
      await refuseDeletion(deps, { projectId });
      continue;
    }
    const routes = await removeFromHosts(deps, removal.services);
    const rest = await removeFromHosts(deps, removal.projects);
    const { ok, detail } = routes.ok && !rest.ok ? rest : routes;
    return { ok, detail: `${detail} ${await settleDeletion(deps, removal.deletion, removal.kept)}` };
  }
  throw new ApiError('conflict', 'Services of the project are being created or transferred: try again.');
}

/**
 * Stores and deletes the rows and adds tasks in one batch. @returns undefined if the services changed since they were read, or a check refuses:
 * nothing was written then
 */
async function write(deps: Dependencies, projectId: string, options: DeletionOptions) {
  const { db, newId } = deps;
  const [rows, settings] = await db.batch([selectRemovedServices(db, { projectId }), selectSettings(db)]);
  const deletion = newDeletion(deps, settings, {
    ...{ deleted: { projectId }, resourceId: projectId },
    ...options,
  });
  const services = removalTasks(rows, newId);
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
    const [, , [kept]] = await db.batch([
      assertMayDelete(db, { projectId }),
      assertServicesAre(db, projectId, serviceIds),
      insertDeletion(db, deletion),
      insertHostTasks(db, [...services, ...projects], deletion.at),
      ...keepRows(db, deletion),
      deleteRow(db, projectId),
    ]);
    return { services, projects, deletion, kept };
  } catch (error) {
    await refuseOverKept(deps, error, projectId);
    if (violates(error, 'NOT NULL')) return undefined;
    throw error;
  }
}
