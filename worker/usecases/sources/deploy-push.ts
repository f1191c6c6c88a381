import type { Initiator } from '../../domain/access/initiator.ts';
import { ApiError } from '../../domain/errors.ts';
import type { StartedDeployment } from '../../store/deployments/deployment-store.ts';
import { deployPush as findOrQueue } from '../../store/sources/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';

const deployedAlready = 'An earlier deployment already includes this push.';
/** The git host shows this with the delivery, which its user has just requested again. */
const endedAlready = (status: 'failed' | 'aborted') =>
  `This push was received before, and its deployment ${status === 'failed' ? 'failed' : 'was aborted'}. A push is deployed once: deploy the service again (POST /api/services/:serviceId/deployments), or push another commit.`;

export interface DeployedPush {
  deployment: StartedDeployment;
  /** Why no deployment was queued; `null` if one was queued. */
  reason: string | null;
}

/**
 * Ensures that a push is deployed, once. If the host is offline, the deployment waits for it.
 * @param push.deliveryId the same for its repeats (security/webhook-signature); null if the git host sends none
 * @throws ApiError `no_runner` if the service's host was revoked
 */
export async function deployPush(
  { db, hubs, newId, now }: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  service: { id: string },
  { startedBy, ...push }: { deliveryId: string | null; commitSha: string; startedBy: Initiator },
): Promise<DeployedPush> {
  const fresh = {
    id: newId('deployment'),
    jobId: newId('job'),
    serviceId: service.id,
    trigger: 'webhook',
    sourceDeploymentId: null,
    startedBy,
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

function whyNone(status: StartedDeployment['status']): string {
  return status === 'failed' || status === 'aborted' ? endedAlready(status) : deployedAlready;
}
