import { ApiError } from '../../domain/errors.ts';
import { abortRefusal, logEndOf } from '../../domain/jobs/deployment-end.ts';
import {
  abortQueued,
  findDeployment,
  type JobRow,
  requestAbort,
  type ShownDeployment,
} from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endLog } from './end-log.ts';

/**
 * Aborts a deployment: immediately while it is queued, otherwise by asking its host, which stops the build within a second.
 * @throws ApiError `cannot_abort` once it has ended or its new version receives traffic
 */
export async function abortDeployment(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now'>,
  { deployment, job }: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  const now = deps.now();
  // A job goes from queued to active and never back, so this order does not miss one that starts in between.
  if (job.state === 'queued' && (await abortQueued(deps.db, job.id, now))) {
    const end = logEndOf({ status: 'aborted', finishedAt: now }, job);
    return end === null ? undefined : endLog(deps, deployment.id, end);
  }
  if (await requestAbort(deps.db, job.id, now)) return deps.hubs.abortJob(job.runnerId, job.id);
  const current = await findDeployment(deps.db, deployment.id);
  throw new ApiError('cannot_abort', abortRefusal(current?.deployment ?? deployment));
}
