import { logEndOf } from '../../domain/deployment-end.ts';
import { findDeployment, type JobRow, type ShownDeployment } from '../../store/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Closes the log of a deployment that has ended while its log is still open, because the Worker died in between.
 * Readers call it, so that no stream stays open forever. In any other case it does nothing.
 */
export async function endOrphanedLog(
  { logs }: Pick<Dependencies, 'logs'>,
  { deployment, job }: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  const end = logEndOf(deployment, job);
  if (end) await logs.finish(deployment.id, end);
}

/** The same for a long-running stream: reads the deployment again first. */
export async function endOrphanedLogOf(
  deps: Pick<Dependencies, 'db' | 'logs'>,
  deploymentId: string,
): Promise<void> {
  const found = await findDeployment(deps.db, deploymentId);
  if (found) await endOrphanedLog(deps, found);
}
