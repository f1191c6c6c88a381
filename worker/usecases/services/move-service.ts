/** Moves a service to another host. The running version does not move until the next successful deployment. */
import { ApiError } from '../../domain/errors.ts';
import { namedHost, noFreePort } from '../../domain/hosts/placement.ts';
import { namedThere } from '../../store/domains/service-names-store.ts';
import type { PlacementCandidate } from '../../store/hosts/placement-store.ts';
import type { QuotaGuard } from '../../store/projects/tenant-store.ts';
import {
  cancelMove,
  moveIdleService,
  planMove,
  redirectQueuedJobs,
  type ServiceChanges,
  type ServiceRow,
  selectActiveJob,
} from '../../store/services/service-store.ts';
import { type ServiceView, selectServiceView } from '../../store/services/service-view-store.ts';
import { selectVolumeHolds, type VolumeHolds } from '../../store/services/volume-hold.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from '../domains/names-tasks.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

/** Whether `runnerId` is neither the current nor the planned host of the service. */
export function isMove(service: ServiceRow, runnerId: string | undefined): runnerId is string {
  return runnerId !== undefined && runnerId !== (service.nextRunnerId ?? service.runnerId);
}

export interface Move {
  /** Other changes of the same request. */
  changes: ServiceChanges;
  tenantId: string;
  runnerId: string;
  /** Hosts that the service's tenant may use. */
  hosts: PlacementCandidate[];
  /** The last statement of the batch. */
  guard: () => QuotaGuard;
}

/**
 * Writes the changes and the new host. Queued deployments also move to that host.
 * @throws ApiError `conflict` for databases and services with volumes, during a deployment, or if the host is drained or full; `not_isolated`;
 * `invalid_request`
 */
export async function moveService(deps: Needs, service: ServiceRow, move: Move): Promise<ServiceView> {
  const { tenantId, runnerId, hosts } = move;
  if (service.kind === 'database') {
    throw new ApiError(
      'conflict',
      'A database can\'t move to another host, because its data would stay behind: create a database there, and restore a backup into it ("targetServiceId").',
    );
  }
  const host = runnerId === service.runnerId ? undefined : namedHost(hosts, tenantId, runnerId);
  const { view, isBusy, holds } = host
    ? await go(deps, service, move, host)
    : await stay(deps, service, move);
  if (!view) throw new ApiError('not_found', 'This service was deleted in the meantime.');
  if ((view.service.nextRunnerId ?? view.service.runnerId) !== runnerId)
    throw volumeRefusal(holds) ?? refusal(host, isBusy);
  await deps.hubs.wake(runnerId);
  return view;
}

async function go(deps: Needs, service: ServiceRow, { changes, guard }: Move, host: PlacementCandidate) {
  const { db } = deps;
  const { id, facts } = host;
  const [, , , [view], busy, [holds]] = await db.batch([
    moveIdleService(db, service, { ...changes, runnerId: id }, facts.webPorts),
    planMove(db, service, { ...changes, nextRunnerId: id }, facts.webPorts),
    redirectQueuedJobs(db, service.id),
    selectServiceView(db, service.id),
    selectActiveJob(db, service.id),
    selectVolumeHolds(db, service.id),
    ...namesTasks(deps, namedThere(service.id, id), []),
    guard(),
  ]);
  return { view, isBusy: busy.length > 0, holds };
}

async function stay({ db }: Needs, service: ServiceRow, { changes, guard }: Move) {
  const [, , [view], busy] = await db.batch([
    cancelMove(db, service.id, changes),
    redirectQueuedJobs(db, service.id),
    selectServiceView(db, service.id),
    selectActiveJob(db, service.id),
    guard(),
  ]);
  return { view, isBusy: busy.length > 0, holds: undefined };
}

/** @returns undefined if no volume binds the service to its host */
function volumeRefusal(holds: VolumeHolds | undefined): ApiError | undefined {
  if (!holds || holds.live + holds.deleted === 0) return undefined;
  const which =
    holds.live > 0
      ? 'It has volumes, whose data would stay behind: POST /api/services/<id>/move takes them along; with "dryRun" it only says what would happen.'
      : 'It has deleted volumes that can still be restored here (GET /api/deleted): try again when they are removed.';
  return new ApiError('conflict', `The service can't move to another host. ${which}`);
}

function refusal(host: PlacementCandidate | undefined, isBusy: boolean): ApiError {
  if (host && !isBusy) return noFreePort(host);
  return new ApiError(
    'conflict',
    'A deployment of the service is in progress on its host: wait until it ends or abort it, then change "runnerId".',
  );
}
