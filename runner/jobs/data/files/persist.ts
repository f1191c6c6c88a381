import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../../base/backoff.ts';

/** About an hour: enough for Docker to be restarted or updated. */
const triesMax = 120;
const retryPause = { minMs: 1_000, maxMs: 30_000 };

/**
 * Repeats work that must not stay half done while Docker is away, such as the start of a service that a job has stopped.
 * @param work can be repeated after it failed at any point
 * @param say writes a line for a user who may be waiting
 * @throws the last error, after an hour
 */
export async function persist<T>(
  work: () => Promise<T>,
  say: (line: string) => void,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === triesMax) throw error;
      say(`Trying again: ${error instanceof Error ? error.message : String(error)}`);
      await pause(backoffMs(tries - 1, retryPause, 1));
    }
  }
}
