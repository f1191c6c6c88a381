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
import { endLog } from '../deployments/end-log.ts';
import { settleMoveOf } from './settle-moves.ts';

/**
 * Aborts a deployment: immediately while it is queued, otherwise by asking its host, which stops the build within a second. If it was a part
 * of a move, the service starts again at once.
 * @throws ApiError `cannot_abort` if it has ended or its new version receives traffic
 */
export async function abortDeployment(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'newId' | 'now'>,
  { deployment, job }: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  const now = deps.now();
  // A job changes from queued to active and never back, so this order does not miss one that starts in between.
  if (job.state === 'queued' && (await abortQueued(deps.db, job.id, now))) {
    const end = logEndOf({ status: 'aborted', finishedAt: now }, job);
    if (end !== null) await endLog(deps, deployment.id, end);
  } else if (await requestAbort(deps.db, job.id, now)) {
    await deps.hubs.abortJob(job.runnerId, job.id);
  } else {
    const current = await findDeployment(deps.db, deployment.id);
    throw new ApiError('cannot_abort', abortRefusal(current?.deployment ?? deployment));
  }
  await settleMoveOf(deps, job.serviceId);
}
