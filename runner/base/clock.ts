/** A source of time. A module that is given a clock uses no other clock or timer. */

export interface Clock {
  /** Epoch milliseconds; may jump when the host's clock is set. */
  now(): number;
  /** Whole milliseconds since some moment, which no setting of the clock changes. */
  elapsed(): number;
  /**
   * Runs `work` once after `delayMs`, measured on the monotonic clock.
   * @returns a function that cancels the timer; it may be called at any time and more than once
   */
  after(delayMs: number, work: () => void): () => void;
}

/** Node's timers take at most 2^31-1 ms; a longer one fires at once. */
const delayMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()), // limits of programs and sockets take whole numbers
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(Math.max(delayMs, 0), delayMsMax));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when the signal is aborted; never rejects. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
