import { ApiError } from '../domain/errors.ts';
import { type DeploymentRow, insertDeployment } from '../store/deployment-store.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Queues a deployment of a service on its host. The row is written before the host hears of it: a lost wake-up costs time, not the job.
 * @throws ApiError `no_runner` when the service's host was revoked.
 */
export async function queueDeployment(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId'>,
  service: { id: string; runnerId: string },
  trigger: DeploymentRow['trigger'],
): Promise<DeploymentRow> {
  const deployment = {
    id: deps.newId('deployment'),
    jobId: deps.newId('job'),
    serviceId: service.id,
    trigger,
    createdAt: deps.now(),
  };
  if (!(await insertDeployment(deps.db, deployment))) {
    throw new ApiError(
      'no_runner',
      "The service's host was revoked. Enrol a host and give the service its id as runnerId.",
    );
  }
  await deps.hubs.wake(service.runnerId);
  return {
    ...deployment,
    status: 'queued',
    commitSha: null,
    imageTag: null,
    containerName: null,
    sealedSnapshot: null,
    startedAt: null,
    finishedAt: null,
  };
}
