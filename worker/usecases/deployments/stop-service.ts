import type { ProxyResult } from '../../../protocol/host-task.ts';
import { ApiError } from '../../domain/errors.ts';
import { type ServiceView, selectServiceView } from '../../store/services/service-view-store.ts';
import { findOpenJob, insertStop } from '../../store/services/stop-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';

/**
 * Stops the live version of a service until it is started or deployed. An offline host stops it when it reconnects.
 * @returns the service, and the present answer at its names. A stopped service does not change
 * @throws ApiError `conflict` if nothing is live, or a job of the service has not ended
 */
export async function stopService(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId'>,
  serviceId: string,
): Promise<{ service: ServiceView; proxy: ProxyResult }> {
  const taskId = deps.newId('hostTask');
  const task = await insertStop(deps.db, { taskId, serviceId, at: deps.now() });
  const proxy = task && (await removeFromHosts(deps, [task]));
  const [service] = await selectServiceView(deps.db, serviceId);
  if (!service) throw new ApiError('not_found', 'The service was deleted in the meantime.');
  if (proxy) return { service, proxy };
  if (service.service.stopped)
    return { service, proxy: { ok: true, detail: 'The service was stopped already.' } };
  throw await whyNotStopped(deps, serviceId);
}

async function whyNotStopped({ db }: Pick<Dependencies, 'db'>, serviceId: string): Promise<ApiError> {
  const open = await findOpenJob(db, serviceId);
  if (!open)
    return new ApiError('conflict', 'The service has no version that runs, so there is nothing to stop.');
  const what =
    open.deploymentId === null
      ? `A ${open.kind} of its data is in progress`
      : `Its deployment ${open.deploymentId} has not ended, and would start it again`;
  return new ApiError('conflict', `${what}: wait for its end or abort it, then stop the service.`);
}
