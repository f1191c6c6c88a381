import {
  nothingToRestart,
  type RestartRequest,
  restartRefusal,
} from '../../domain/deployments/kept-versions.ts';
import { ApiError } from '../../domain/errors.ts';
import { isRouted } from '../../domain/services/service-kind.ts';
import type { Switch } from '../../domain/services/volumes.ts';
import type { StartedDeployment } from '../../store/deployments/deployment-store.ts';
import { findLiveDeployment } from '../../store/jobs/dispatch-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueue } from './queue-deployment.ts';

/**
 * Queues a deployment that starts the live image again, with current variables and settings; nothing is built or pulled. It also starts a
 * stopped service.
 * @throws ApiError `conflict` with a solution if there is no live version, or for a restart of a stopped service, or a start of a running one
 */
export async function restartService(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId' | 'initiator'>,
  { service, action }: RestartRequest,
): Promise<StartedDeployment> {
  const refusal = restartRefusal({ service, action });
  if (refusal !== null) throw new ApiError('conflict', refusal);
  const live = await findLiveDeployment(deps.db, service.id);
  const queued =
    live && (await enqueue(deps, service, 'restart', { sourceDeploymentId: live.id, sourceDigest: null }));
  if (!queued) throw new ApiError('conflict', nothingToRestart);
  return queued;
}

/** The effects of a restart, as a sentence for the user. */
export function interruptionOf(service: ServiceRow, change: Switch): string {
  if (service.stopped) return 'The service is stopped; it answers once the new container does.';
  if (service.kind === 'database')
    return 'The database stops and starts again on the same data: it does not answer for some seconds.';
  if (isRouted(service) && change === 'stop-start')
    return 'The service has a volume, so the old version stops before the new one starts. Requests wait until that one answers, for at most two minutes.';
  if (!isRouted(service))
    return 'The old worker stops before the new one starts, unless the variable WORKER_OVERLAP is true.';
  return 'The old version answers until the new one does: no request is lost.';
}
