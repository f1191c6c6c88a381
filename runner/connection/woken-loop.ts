/** Repeats work at an interval until it is stopped, and earlier on request. */
import { type Clock, pause } from '../base/clock.ts';

export interface WokenLoopParts {
  /** Must not throw. */
  work: () => Promise<void>;
  clock: Clock;
  intervalMs: number;
  /** Requests within this time after `soon` lead to one run. */
  settleMs?: number;
}

export class WokenLoop {
  readonly #parts: WokenLoopParts;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #looping = false;

  constructor(parts: WokenLoopParts) {
    this.#parts = parts;
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs the work at once, or after the run that is in progress; the first call starts the loop. */
  now(): void {
    this.#wake.abort('now');
    if (!this.#looping) void this.#loop();
  }

  /** Runs the work after `settleMs`, if the loop was started. */
  soon(): void {
    this.#wake.abort('soon');
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #loop(): Promise<void> {
    this.#looping = true;
    const { work, clock, intervalMs, settleMs = 0 } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      await work();
      await pause(clock, intervalMs, AbortSignal.any([signal, this.#wake.signal]));
      if (this.#wake.signal.reason === 'soon') await pause(clock, settleMs, signal);
    }
  }
}
