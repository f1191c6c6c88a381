import { ApiError } from '../../domain/errors.ts';
import { findDeployment, insertDeployment, type ShownDeployment } from '../../store/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId'>;

/**
 * Queues a deployment of a service on the host where it is to be.
 * @throws ApiError `no_runner` when that host was revoked.
 */
export async function queueDeployment(
  deps: Needs,
  service: { id: string },
  trigger: Exclude<ShownDeployment['trigger'], 'rollback'>,
): Promise<ShownDeployment> {
  const queued = await enqueue(deps, service, trigger, null);
  if (queued) return queued;
  throw new ApiError(
    'no_runner',
    "The service's host was revoked. Enrol a host and give the service its id as runnerId.",
  );
}

/**
 * Writes the rows before the host hears of it: a lost wake-up costs time, not the job.
 * @param sourceDeploymentId what a rollback goes back to; null for all others
 * @returns undefined when the host was revoked, or when there is nothing to go back to: nothing was written
 */
export async function enqueue(
  { db, hubs, now, newId }: Needs,
  service: { id: string },
  trigger: ShownDeployment['trigger'],
  sourceDeploymentId: string | null,
): Promise<ShownDeployment | undefined> {
  const deployment = {
    id: newId('deployment'),
    jobId: newId('job'),
    serviceId: service.id,
    trigger,
    sourceDeploymentId,
    createdAt: now(),
  };
  const runnerId = await insertDeployment(db, deployment);
  if (runnerId === undefined) return undefined;
  await hubs.wake(runnerId);
  return {
    ...deployment,
    status: 'queued',
    commitSha: null,
    imageTag: null,
    containerName: null,
    startedAt: null,
    finishedAt: null,
  };
}

/** The deployment that an earlier attempt queued under this id; its host may not have heard of it. */
export async function findQueued(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  deploymentId: string,
): Promise<ShownDeployment | undefined> {
  const found = await findDeployment(db, deploymentId);
  if (found) await hubs.wake(found.job.runnerId);
  return found?.deployment;
}
