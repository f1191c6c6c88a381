import { logEndOf } from '../../domain/jobs/deployment-end.ts';
import { isLogOld, removedLogLine } from '../../domain/logs/log-retention.ts';
import {
  findDeployment,
  type JobRow,
  type ShownDeployment,
} from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Closes the log of a deployment that has ended while its log is still open, because the Worker died in between. One that was removed for
 * its age gets a line that says so. Readers call it, so that no stream stays open forever. In any other case it does nothing.
 */
export async function endOrphanedLog(
  { logs, now }: Pick<Dependencies, 'logs' | 'now'>,
  { deployment, job }: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  const end = logEndOf(deployment, job);
  const isOld = isLogOld(deployment.finishedAt, now());
  if (end) await logs.finish(deployment.id, isOld ? { ...end, lineIfEmpty: removedLogLine } : end);
}

/** The same where only a removed log matters: nothing is asked while a log can't be old enough. */
export async function explainRemovedLog(
  deps: Pick<Dependencies, 'logs' | 'now'>,
  ended: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  if (isLogOld(ended.deployment.finishedAt, deps.now())) await endOrphanedLog(deps, ended);
}

/** The same for a long-running stream: reads the deployment again first. */
export async function endOrphanedLogOf(
  deps: Pick<Dependencies, 'db' | 'logs' | 'now'>,
  deploymentId: string,
): Promise<void> {
  const found = await findDeployment(deps.db, deploymentId);
  if (found) await endOrphanedLog(deps, found);
}
