import { ApiError } from '../../domain/errors.ts';
import {
  findDeployment,
  insertDeployment,
  type ShownDeployment,
} from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId'>;

/**
 * Queues a deployment of a service on its current or planned host.
 * @param sourceDigest checksum of the uploaded folder that it builds; null: it builds none
 * @throws ApiError `no_runner` if that host was revoked
 */
export async function queueDeployment(
  deps: Needs,
  service: { id: string },
  trigger: Exclude<ShownDeployment['trigger'], 'rollback' | 'restart'>,
  sourceDigest: string | null = null,
): Promise<ShownDeployment> {
  const queued = await enqueue(deps, service, trigger, { sourceDeploymentId: null, sourceDigest });
  if (queued) return queued;
  throw new ApiError(
    'no_runner',
    'The host of the service was revoked: enrol a host and set "runnerId" to its id.',
  );
}

/**
 * Writes the rows before it wakes the host's hub, so that a lost wake-up only costs time.
 * @param source the deployment whose image a rollback or restart reuses, or the checksum of the uploaded folder
 * @returns undefined if the host was revoked or the source is not stored on it (any more); nothing was written then
 */
export async function enqueue(
  { db, hubs, now, newId }: Needs,
  service: { id: string },
  trigger: ShownDeployment['trigger'],
  source: Pick<ShownDeployment, 'sourceDeploymentId' | 'sourceDigest'>,
): Promise<ShownDeployment | undefined> {
  const deployment = {
    id: newId('deployment'),
    jobId: newId('job'),
    serviceId: service.id,
    trigger,
    ...source,
    createdAt: now(),
  };
  const runnerId = await insertDeployment(db, deployment);
  if (runnerId === undefined) return undefined;
  await hubs.wake(runnerId);
  return {
    ...deployment,
    status: 'queued',
    commitSha: null,
    commitMessage: null,
    commitAuthor: null,
    branch: null,
    imageTag: null,
    containerName: null,
    startedAt: null,
    finishedAt: null,
  };
}

/** The deployment that an earlier attempt queued with this id. Its hub is woken again, in case that attempt did not. */
export async function findQueued(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  deploymentId: string,
): Promise<ShownDeployment | undefined> {
  const found = await findDeployment(db, deploymentId);
  if (found) await hubs.wake(found.job.runnerId);
  return found?.deployment;
}
