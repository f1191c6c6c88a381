/** A clock that moves only when the test moves it; due timers fire in order. */
import type { Clock } from '../../../runner/base/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time, and runs everything that becomes due, including consequences that need no I/O. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock like an operator: timers are not affected. */
  setBack(ms: number): void;
  /** Delays of the waiting timers, ascending. */
  readonly waiting: number[];
}

export function manualClock(start = 1_790_000_000_000): ManualClock {
  let elapsed = 0;
  let wallOffset = 0;
  let timers: { at: number; work: () => void }[] = [];
  return {
    now: () => start + elapsed + wallOffset,
    elapsed: () => elapsed,
    after(delayMs, work) {
      const timer = { at: elapsed + Math.max(0, delayMs), work };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settled();
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        elapsed = next.at;
        next.work();
        await settled();
      }
      elapsed = until;
    },
    setBack(ms) {
      wallOffset -= ms;
    },
    get waiting() {
      return timers.map(({ at }) => at - elapsed).sort((a, b) => a - b);
    },
  };
}

/** Lets promise chains run to their end, except those that need I/O. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
