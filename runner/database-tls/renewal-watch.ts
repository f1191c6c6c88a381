/** Looks at the certificates of the databases now and then. */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';

/** After the start of a runner its host comes first. */
export const firstLookMs = 60_000;
/** The host's address may change, and what has failed is tried again. */
export const lookEveryMs = 60 * 60_000;

/** @param renew what it throws is logged, and tried again at the next time. @returns ends it */
export function startRenewalWatch(parts: {
  renew: () => Promise<void>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}): () => void {
  const { renew, clock, logger } = parts;
  const stopping = new AbortController();
  const loop = async () => {
    await pause(clock, firstLookMs, stopping.signal);
    while (!stopping.signal.aborted) {
      await renew().catch((error: unknown) =>
        logger.warn(`the certificates of the databases could not be checked: ${messageOf(error)}`),
      );
      await pause(clock, lookEveryMs, stopping.signal);
    }
  };
  void loop();
  return () => stopping.abort();
}
