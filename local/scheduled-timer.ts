/** The cron of the embedded control plane, because workerd has none. It also repeats lost wake-ups of jobs. */

export interface TimerClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after this time, or at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const minuteMs = 60_000;

/**
 * Calls `run` at each full minute until stopped. Only one run at a time: a slow one delays the next minute but never runs it twice.
 * @param run gets its minute; its errors go to `onFailure`, and the timer continues.
 * @returns a function that stops the timer and waits for a run in progress.
 */
export function startScheduledTimer(
  clock: TimerClock,
  run: (minute: number) => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const minute = Math.floor(clock.now() / minuteMs + 1) * minuteMs;
      await clock.wait(minute - clock.now(), stopping.signal);
      if (stopping.signal.aborted) return;
      await run(minute).catch(onFailure);
    }
  };
  const ended = loop();
  return () => {
    stopping.abort();
    return ended;
  };
}
