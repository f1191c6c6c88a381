/** Frees disk space periodically, and shortly after a build. */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';

export interface CleanUpWatch {
  /** Call after a build: schedules a clean-up soon. */
  soon(): void;
  stop(): void;
}

export const cleanUpEveryMs = 60 * 60_000;
/** Deployments within this time share one clean-up, which then does not slow the next deployment down. */
export const cleanUpSettleMs = 5 * 60_000;
const worthALineBytes = 1e6;

/** @param run returns the number of freed bytes; its errors are logged, and it is retried the next time */
export function startCleanUpWatch(parts: {
  run: () => Promise<number>;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
}): CleanUpWatch {
  const { run, clock, logger } = parts;
  const stopping = new AbortController();
  let wake = new AbortController();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await pause(clock, cleanUpEveryMs, AbortSignal.any([stopping.signal, wake.signal]));
      if (wake.signal.aborted) await pause(clock, cleanUpSettleMs, stopping.signal);
      wake = new AbortController();
      if (stopping.signal.aborted) return;
      try {
        const bytes = await run();
        if (bytes >= worthALineBytes)
          logger.info(`freed ${Math.floor(bytes / 1e6)} MB of images and build cache`);
      } catch (error) {
        logger.warn(`disk space could not be freed: ${messageOf(error)}`);
      }
    }
  };
  void loop();
  return { soon: () => wake.abort(), stop: () => stopping.abort() };
}
