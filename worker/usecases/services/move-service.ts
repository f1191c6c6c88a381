/** Another host for a service. What runs goes on where it is: it moves with the next successful deployment. */
import { ApiError } from '../../domain/errors.ts';
import { namedHost } from '../../domain/placement.ts';
import type { PlacementCandidate } from '../../store/placement-store.ts';
import { namedThere } from '../../store/service-names-store.ts';
import {
  cancelMove,
  moveIdleService,
  planMove,
  redirectQueuedJobs,
  type ServiceChanges,
  type ServiceRow,
  selectActiveJob,
} from '../../store/service-store.ts';
import { type ServiceView, selectServiceView } from '../../store/service-view-store.ts';
import type { QuotaGuard } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from '../domains/tell-names.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now'>;

/** Whether `runnerId` names another host than the one that the service is on, or is to be on. */
export function isMove(service: ServiceRow, runnerId: string | undefined): runnerId is string {
  return runnerId !== undefined && runnerId !== (service.nextRunnerId ?? service.runnerId);
}

export interface Move {
  /** What else the request changes. */
  changes: ServiceChanges;
  runnerId: string;
  /** Those that the service's tenant may use. */
  hosts: PlacementCandidate[];
  /** The statement that ends the batch. */
  guard: () => QuotaGuard;
}

/**
 * Writes the changes and the host. Deployments that wait go to that host as well.
 * @throws ApiError `conflict` for databases, while a deployment is at work, or when the host is drained or full; `invalid_request`
 */
export async function moveService(deps: Needs, service: ServiceRow, move: Move): Promise<ServiceView> {
  const { runnerId, hosts } = move;
  if (service.kind === 'database') {
    throw new ApiError('conflict', "A database's host never changes: its data would stay behind.");
  }
  const host = runnerId === service.runnerId ? undefined : namedHost(hosts, runnerId);
  const { view, isBusy } = host ? await go(deps, service, move, host) : await stay(deps, service, move);
  if (!view) throw new ApiError('not_found', 'This service was deleted meanwhile.');
  if ((view.service.nextRunnerId ?? view.service.runnerId) !== runnerId) throw refusal(host, isBusy);
  await deps.hubs.wake(runnerId);
  return view;
}

async function go(deps: Needs, service: ServiceRow, { changes, guard }: Move, host: PlacementCandidate) {
  const { db } = deps;
  const { id, facts } = host;
  const [, , , [view], busy] = await db.batch([
    moveIdleService(db, service, { ...changes, runnerId: id }, facts.webPorts),
    planMove(db, service, { ...changes, nextRunnerId: id }, facts.webPorts),
    redirectQueuedJobs(db, service.id),
    selectServiceView(db, service.id),
    selectActiveJob(db, service.id),
    ...namesTasks(deps, namedThere(service.id, id), []),
    guard(),
  ]);
  return { view, isBusy: busy.length > 0 };
}

async function stay({ db }: Needs, service: ServiceRow, { changes, guard }: Move) {
  const [, , [view], busy] = await db.batch([
    cancelMove(db, service.id, changes),
    redirectQueuedJobs(db, service.id),
    selectServiceView(db, service.id),
    selectActiveJob(db, service.id),
    guard(),
  ]);
  return { view, isBusy: busy.length > 0 };
}

function refusal(host: PlacementCandidate | undefined, isBusy: boolean): ApiError {
  if (host && !isBusy) {
    return new ApiError(
      'conflict',
      `The host "${host.name}" has no free port left: name another one in "runnerId".`,
    );
  }
  return new ApiError(
    'conflict',
    'A deployment of the service is at work on its host: wait for its end or abort it, then change "runnerId".',
  );
}
