import { ApiError } from '../../domain/errors.ts';
import {
  findDeployment,
  insertDeployment,
  type NamedSource,
  type ShownDeployment,
  type StartedDeployment,
} from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId' | 'initiator'>;

/**
 * Queues a deployment of a service on its current or planned host.
 * @param sourceDigest checksum of the uploaded folder to build; null if there is none
 * @param named what the request says about the source
 * @throws ApiError `no_runner` if that host was revoked
 */
export async function queueDeployment(
  deps: Needs,
  service: { id: string },
  trigger: Exclude<ShownDeployment['trigger'], 'rollback' | 'restart'>,
  sourceDigest: string | null = null,
  named: NamedSource = {},
): Promise<StartedDeployment> {
  const queued = await enqueue(deps, service, trigger, { sourceDeploymentId: null, sourceDigest, named });
  if (queued) return queued;
  throw new ApiError(
    'no_runner',
    'The host of the service was revoked: enrol a host and set "runnerId" to its id.',
  );
}

/**
 * Writes the rows before it wakes the host's hub, so that a lost wake-up only costs time.
 * @param source the deployment whose image a rollback or restart reuses, or the checksum of the uploaded folder
 * @returns undefined if the host was revoked or the source is not stored there, or no longer; nothing was written then
 */
export async function enqueue(
  { db, hubs, now, newId, initiator }: Needs,
  service: { id: string },
  trigger: ShownDeployment['trigger'],
  {
    named = {},
    ...source
  }: Pick<ShownDeployment, 'sourceDeploymentId' | 'sourceDigest'> & { named?: NamedSource },
): Promise<StartedDeployment | undefined> {
  const deployment = {
    id: newId('deployment'),
    jobId: newId('job'),
    serviceId: service.id,
    trigger,
    ...source,
    startedBy: initiator,
    createdAt: now(),
  };
  const runnerId = await insertDeployment(db, { ...deployment, named });
  if (runnerId === undefined) return undefined;
  await hubs.wake(runnerId);
  return {
    ...deployment,
    status: 'queued',
    ref: named.ref ?? null,
    commitSha: named.commitSha ?? null,
    commitMessage: named.commitMessage ?? null,
    commitAuthor: null,
    branch: null,
    imageTag: null,
    imageDigest: named.imageDigest ?? null,
    containerName: null,
    startedAt: null,
    finishedAt: null,
  };
}

/** The deployment that an earlier attempt queued with this id. Wakes up its hub again, in case that attempt did not. */
export async function findQueued(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  deploymentId: string,
): Promise<StartedDeployment | undefined> {
  const found = await findDeployment(db, deploymentId);
  if (found) await hubs.wake(found.job.runnerId);
  return found?.deployment;
}
