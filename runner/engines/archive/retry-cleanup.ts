import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../engine-error.ts';

/** A restarted server answers again within this time. */
const giveUpAfterMs = 60_000;
const pauseMs = 1_000;

/**
 * Runs a cleanup even if the server is down: retries for a minute until the server answers.
 * @param signal ends the waiting, not the first attempt
 * @throws EngineError of the last attempt
 */
export async function retryCleanup(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineError) || signal.aborted || performance.now() > giveUpAt) throw error;
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw error;
    }
  }
}
