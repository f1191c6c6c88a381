import { ApiError } from '../../domain/errors.ts';
import type { ShownDeployment } from '../../store/deployment-store.ts';
import { deployPush as findOrQueue } from '../../store/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The push is in a deployment that another delivery queued. */
const deployedAlready = 'A deployment that was queued before has this push in it.';

export interface DeployedPush {
  deployment: ShownDeployment;
  /** Why nothing more was queued; null: it was. */
  reason: string | null;
}

/**
 * Sees to it that what was pushed is deployed, once. The host may be away: the deployment waits for it.
 * @param push.deliveryId null where the git host names none
 * @throws ApiError `no_runner` when the service's host was revoked.
 */
export async function deployPush(
  { db, hubs, newId, now }: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  service: { id: string },
  push: { deliveryId: string | null; commitSha: string },
): Promise<DeployedPush> {
  const fresh = {
    id: newId('deployment'),
    jobId: newId('job'),
    serviceId: service.id,
    trigger: 'webhook',
    sourceDeploymentId: null,
    createdAt: now(),
  } as const;
  const found = await findOrQueue(db, fresh, { ...push, deliveryId: push.deliveryId ?? fresh.id });
  if (!found) {
    throw new ApiError(
      'no_runner',
      "The service's host was revoked. Enrol a host and give the service its id as runnerId.",
    );
  }
  const { deployment, runnerId } = found;
  if (deployment.status === 'queued') await hubs.wake(runnerId);
  return { deployment, reason: deployment.id === fresh.id ? null : deployedAlready };
}
