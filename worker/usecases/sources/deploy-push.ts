import { commitTextMax } from '../../../protocol/job-report.ts';
import type { Initiator } from '../../domain/access/initiator.ts';
import { ApiError } from '../../domain/errors.ts';
import type { PushSettings } from '../../domain/services/settings/source-settings.ts';
import { firstLookMs } from '../../domain/sources/commit-checks/commit-checks.ts';
import type { StartedDeployment } from '../../store/deployments/deployment-store.ts';
import { insertAwaitedPush } from '../../store/sources/awaited-push-store.ts';
import { deployPush as findOrQueue } from '../../store/sources/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

const deployedAlready = 'An earlier deployment already includes this push.';
const waits = 'The push waits for the checks of its commit (setting "waitForChecks").';
/** The git host shows this with the delivery, which its user has just requested again. */
const endedAlready = (status: 'failed' | 'aborted') =>
  `This push was received before, and its deployment ${status === 'failed' ? 'failed' : 'was aborted'}. A push is deployed once: deploy the service again (POST /api/services/:serviceId/deployments), or push another commit.`;

export interface DeployedPush {
  /** `null`: the push waits for the checks of its commit. */
  deployment: StartedDeployment | null;
  /** Why no deployment was queued; `null` if one was queued. */
  reason: string | null;
}

export interface AcceptedPush {
  /** The same for its repeats (security/webhook-signature); null if the git host sends none. */
  deliveryId: string | null;
  commitSha: string;
  /** The message of the commit; undefined if the git host does not send it. */
  message: string | undefined;
  startedBy: Initiator;
}

/**
 * Deploys a push that is not ignored, at once or, if the service waits for checks, when those of its commit are green.
 * @throws ApiError as `deployPush`
 */
export async function takePush(
  deps: Needs,
  service: { id: string; pushSettings: PushSettings | null },
  { message, ...push }: AcceptedPush,
): Promise<DeployedPush> {
  if (!service.pushSettings?.waitForChecks) return deployPush(deps, service, push);
  const { newId, now } = deps;
  const createdAt = now();
  const found = await insertAwaitedPush(deps.db, {
    ...{ serviceId: service.id, commitSha: push.commitSha, startedBy: push.startedBy, createdAt },
    deliveryId: push.deliveryId ?? newId('event'),
    commitMessage: message?.split('\n', 1)[0]?.slice(0, commitTextMax) ?? null,
    nextLookAt: createdAt + firstLookMs,
  });
  if (!found) return { deployment: null, reason: waits };
  return { deployment: found.deployment, reason: whyNone(found.deployment.status) };
}

/**
 * Ensures that a push is deployed, once. If the host is offline, the deployment waits for it.
 * @throws ApiError `no_runner` if the service's host was revoked
 */
async function deployPush(
  { db, hubs, newId, now }: Needs,
  service: { id: string },
  { startedBy, ...push }: Omit<AcceptedPush, 'message'>,
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
