import { logEndOf } from '../../domain/jobs/deployment-end.ts';
import { isLogOld, removedLogLine } from '../../domain/logs/log-retention.ts';
import type { LogEnd } from '../../gateways/object-calls.ts';
import {
  findDeployment,
  type JobRow,
  type ShownDeployment,
} from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Closes the log of a deployment whose rows are final. Never throws: the deployment has ended anyway, and the next reader closes an
 * open log.
 */
export async function endLog(
  { logs }: Pick<Dependencies, 'logs'>,
  deploymentId: string,
  end: LogEnd,
): Promise<void> {
  try {
    await logs.finish(deploymentId, end);
  } catch (error) {
    console.error(`The log of ${deploymentId} could not be closed:`, error);
  }
}

/**
 * Closes the log of a deployment that has ended while its log is still open, because the Worker died in between. A log that was removed
 * because of its age gets a line that says so. Readers call this, so that no stream stays open forever. No effect in any other case.
 */
export async function endOrphanedLog(
  { logs, now }: Pick<Dependencies, 'logs' | 'now'>,
  { deployment, job }: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  const end = logEndOf(deployment, job);
  const isOld = isLogOld(deployment.finishedAt, now());
  if (end) await logs.finish(deployment.id, isOld ? { ...end, lineIfEmpty: removedLogLine } : end);
}

/** Same as endOrphanedLog for callers that only care about removed logs: no request is sent for a log that is not old enough. */
export async function explainRemovedLog(
  deps: Pick<Dependencies, 'logs' | 'now'>,
  ended: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  if (isLogOld(ended.deployment.finishedAt, deps.now())) await endOrphanedLog(deps, ended);
}

/** Same as endOrphanedLog for a long-running stream: reads the deployment again first. */
export async function endOrphanedLogOf(
  deps: Pick<Dependencies, 'db' | 'logs' | 'now'>,
  deploymentId: string,
): Promise<void> {
  const found = await findDeployment(deps.db, deploymentId);
  if (found) await endOrphanedLog(deps, found);
}
