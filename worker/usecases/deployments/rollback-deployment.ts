import {
  noLongerKept,
  type RollbackRequest,
  rollbackRefusal,
} from '../../domain/deployments/kept-versions.ts';
import { ApiError } from '../../domain/errors.ts';
import type { StartedDeployment } from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueue } from './queue-deployment.ts';

/**
 * Queues a rollback as a new deployment: it reuses the stored image and variables of the earlier one; nothing is built.
 * Names, ports and limits belong to the service, not to a version, and keep their current values.
 * @throws ApiError `conflict` with the reason if the deployment never ran, is live, or is no longer stored
 */
export async function rollbackDeployment(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId' | 'initiator'>,
  requested: RollbackRequest & { service: { id: string }; deployment: { id: string } },
): Promise<StartedDeployment> {
  const refusal = rollbackRefusal(requested);
  if (refusal !== null) throw new ApiError('conflict', refusal);
  const queued = await enqueue(deps, requested.service, 'rollback', {
    sourceDeploymentId: requested.deployment.id,
    sourceDigest: null,
  });
  if (!queued) throw new ApiError('conflict', noLongerKept);
  return queued;
}
