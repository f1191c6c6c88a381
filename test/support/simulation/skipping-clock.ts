/** A runner's clock that runs faster than the real one, and can skip a minute at once. */
import type { Clock } from '../../../runner/base/clock.ts';

export interface SkippingClock extends Clock {
  /** Runs everything that becomes due in that time, in order, and its consequences. */
  skip(ms: number): Promise<void>;
  /** Sets the wall clock; timers are not affected. */
  set(byMs: number): void;
}

interface Timer {
  at: number;
  work: () => void;
  handle: ReturnType<typeof setTimeout> | undefined;
}

const stepMs = 500;

export function skippingClock(speed: number, skewMs: number): SkippingClock {
  const timers = new Set<Timer>();
  let skipped = 0;
  let skew = skewMs;
  const elapsed = () => performance.now() * speed + skipped;
  const fire = (timer: Timer) => {
    clearTimeout(timer.handle);
    if (timers.delete(timer)) timer.work();
  };
  const arm = (timer: Timer) => {
    clearTimeout(timer.handle);
    timer.handle = setTimeout(() => fire(timer), Math.max(0, timer.at - elapsed()) / speed);
  };
  return {
    now: () => Date.now() + skew,
    elapsed,
    after(delayMs, work) {
      const timer: Timer = { at: elapsed() + Math.max(0, delayMs), work, handle: undefined };
      timers.add(timer);
      arm(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    async skip(ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        skipped += stepMs;
        const due = [...timers].filter(({ at }) => at <= elapsed());
        for (const timer of due.sort((a, b) => a.at - b.at)) fire(timer);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const timer of timers) arm(timer);
    },
    set(byMs) {
      skew += byMs;
    },
  };
}
