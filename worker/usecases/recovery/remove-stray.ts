import { idSchema } from '../../../protocol/ids.ts';
import { ApiError } from '../../domain/errors.ts';
import { compareHost } from '../../domain/hosts/strays.ts';
import { insertHostTasks, type NewHostTask } from '../../store/deletions/removal-store.ts';
import { readKnownRows } from '../../store/deletions/stray-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { askInventory } from './find-strays.ts';

/**
 * Removes a stray service from a host: its container, its route and, unless it can be restored, its images; with `data` also its volumes,
 * its backup files, and their copies in the bucket, permanently.
 * @throws ApiError `not_found` if the host has no such stray; `runner_offline`, `timeout`, `unavailable`; `conflict` for "data" if the service has a
 *   row or can be restored
 */
export async function removeStray(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  stray: { runnerId: string; serviceId: string; data: boolean },
): Promise<void> {
  const { runnerId, serviceId, data } = stray;
  const rows = await readKnownRows(deps.db, runnerId, [serviceId]);
  const isOfHost = rows.services.some(
    (row) => row.id === serviceId && (row.runnerId === runnerId || row.nextRunnerId === runnerId),
  );
  const inventory = isOfHost ? { services: [] } : await askInventory(deps, runnerId);
  const found = compareHost(runnerId, inventory, rows).services.find((one) => one.serviceId === serviceId);
  if (!found) {
    throw new ApiError('not_found', `${serviceId} is no stray of this host (GET /api/system/strays/hosts).`);
  }
  // The removal of volumes also removes the copies in the bucket, which belong to the row.
  if (data && found.reason !== 'forgotten') {
    throw new ApiError('conflict', `${serviceId} has a row, or can be restored: leave out "data".`);
  }
  // A static site has no project here; the host needs the project only for the network of containers.
  const projectId = found.projectId ?? noProject;
  const hostPort = found.hostPort;
  const removal: NewHostTask = {
    id: deps.newId('hostTask'),
    runnerId,
    task: {
      ...{ kind: 'remove-service', serviceId, projectId, hostnames: found.hostnames, hostPort },
      keepsImages: found.reason === 'deleted',
      // The service's output on this host can still be searched.
      keepsLogs: found.reason === 'elsewhere',
    },
  };
  const volumes: NewHostTask = {
    id: deps.newId('hostTask'),
    runnerId,
    task: { kind: 'remove-volumes', serviceId, projectId },
  };
  await insertHostTasks(deps.db, data ? [removal, volumes] : [removal], deps.now());
  await deps.hubs.wake(runnerId);
}

const noProject = idSchema('project').parse(`prj_${'0'.repeat(16)}`);
