import { ApiError } from '../../domain/errors.ts';
import { noLongerKept, type RollbackWish, rollbackRefusal } from '../../domain/kept-versions.ts';
import type { ShownDeployment } from '../../store/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueue } from './queue-deployment.ts';

/**
 * Queues the return to an earlier deployment: its kept image with the variables it had then, as a new deployment. Nothing is built.
 * What belongs to the service and not to a version stays as it is now: names, ports and limits.
 * @throws ApiError `conflict` with the reason when it never ran, runs now, or is not kept (any more).
 */
export async function rollbackDeployment(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId'>,
  wish: RollbackWish & { service: { id: string }; deployment: { id: string } },
): Promise<ShownDeployment> {
  const refusal = rollbackRefusal(wish);
  if (refusal !== null) throw new ApiError('conflict', refusal);
  const queued = await enqueue(deps, wish.service, 'rollback', wish.deployment.id);
  if (!queued) throw new ApiError('conflict', noLongerKept);
  return queued;
}
