import type { LogEnd } from '../../gateways/object-calls.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Closes the log of a deployment whose rows are final. Never throws: the deployment has ended anyway, and the next reader closes a log
 * that was left open (end-forgotten-log).
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
