import { ApiError } from '../../domain/errors.ts';
import type { ShownDeployment } from '../../store/deployments/deployment-store.ts';
import { deployPush as findOrQueue } from '../../store/sources/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';

const deployedAlready = 'An earlier deployment already includes this push.';
/** The git host shows this beside the delivery, where its user has just asked for it once more. */
const endedAlready = (status: 'failed' | 'aborted') =>
  `This push was received before, and its deployment ${status === 'failed' ? 'failed' : 'was aborted'}. A push is deployed once: deploy the service again (POST /api/services/:serviceId/deployments), or push another commit.`;

export interface DeployedPush {
  deployment: ShownDeployment;
  /** Why no deployment was queued; null: one was queued. */
  reason: string | null;
}

/**
 * Makes sure that a push is deployed, once. If the host is offline, the deployment waits for it.
 * @param push.deliveryId equal for its repeats (security/webhook-signature); null if the git host sends none
 * @throws ApiError `no_runner` if the service's host was revoked
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
      'The host of the service was revoked: enrol a host and set "runnerId" to its id.',
    );
  }
  const { deployment, runnerId } = found;
  if (deployment.status === 'queued') await hubs.wake(runnerId);
  return { deployment, reason: deployment.id === fresh.id ? null : whyNone(deployment.status) };
}

function whyNone(status: ShownDeployment['status']): string {
  return status === 'failed' || status === 'aborted' ? endedAlready(status) : deployedAlready;
}
