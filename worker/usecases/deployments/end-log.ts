import type { Dependencies } from '../dependencies.ts';

/**
 * Ends the log of a deployment whose rows are final. Never throws: the deployment is over whatever happens here,
 * and a log left open is ended by its next reader (end-forgotten-log).
 */
export async function endLog(
  { logs }: Pick<Dependencies, 'logs'>,
  deploymentId: string,
  end: { ok: boolean; line?: string },
): Promise<void> {
  try {
    await logs.finish(deploymentId, end);
  } catch (error) {
    console.error(`the log of ${deploymentId} was not ended`, error);
  }
}
