import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../engine-error.ts';

/** A server that was restarted answers again by then. */
const giveUpAfterMs = 60_000;
const pauseMs = 1_000;

/**
 * Clears away although the server may just be down: tries again until it answers, for a minute.
 * @param signal ends the waiting, not the first try
 * @throws EngineError of the last try
 */
export async function triedAgain(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
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
