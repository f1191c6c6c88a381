/** Checks the certificates of the databases periodically. */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';

/** The first check waits until the host has started. */
export const firstCheckMs = 60_000;
/** The host's address may change, and failed renewals are retried. */
export const pollIntervalMs = 60 * 60_000;

/** @param renew its errors are logged, and it is retried at the next check. @returns a function that ends the watch */
export function startRenewalWatch(parts: {
  renew: () => Promise<void>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}): () => void {
  const { renew, clock, logger } = parts;
  const stopping = new AbortController();
  const loop = async () => {
    await pause(clock, firstCheckMs, stopping.signal);
    while (!stopping.signal.aborted) {
      await renew().catch((error: unknown) =>
        logger.warn(`the certificates of the databases could not be checked: ${messageOf(error)}`),
      );
      await pause(clock, pollIntervalMs, stopping.signal);
    }
  };
  void loop();
  return () => stopping.abort();
}
