import { logEndOf } from '../../domain/deployment-end.ts';
import { findDeployment, type JobRow, type ShownDeployment } from '../../store/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Ends the log of a deployment that is final while its log is not: the program died between the two.
 * Readers call it, so that no stream stays open for ever. Changes nothing in any other case.
 */
export async function endForgottenLog(
  { logs }: Pick<Dependencies, 'logs'>,
  { deployment, job }: { deployment: ShownDeployment; job: JobRow },
): Promise<void> {
  const end = logEndOf(deployment, job);
  if (end) await logs.finish(deployment.id, end);
}

/** The same for a stream that has been open for a while: looks the deployment up again. */
export async function endForgottenLogOf(
  deps: Pick<Dependencies, 'db' | 'logs'>,
  deploymentId: string,
): Promise<void> {
  const found = await findDeployment(deps.db, deploymentId);
  if (found) await endForgottenLog(deps, found);
}
