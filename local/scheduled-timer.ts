/** Cron for the embedded control plane: Miniflare fires none by itself. Lost wake-ups of jobs are made good by it. */

export interface TimerClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after that time, or at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const minuteMs = 60_000;

/**
 * Calls `run` at each full minute until stopped. One run at a time: a slow one makes the next minute late, never doubled.
 * @param run given the minute it stands for; what it throws goes to `onFailure` and the timer goes on.
 * @returns stops the timer and waits for a run under way.
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
