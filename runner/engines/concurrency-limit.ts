/** Runs a limited number of tasks at once; the others wait in order. */
import { EngineError } from './engine-error.ts';

export class ConcurrencyLimit {
  #free: number;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#free = max;
  }

  /** @throws EngineError `unavailable` after `close` */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#isClosed) throw new EngineError('unavailable', 'The session is closed.');
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** Refuses the waiting tasks; the running ones finish. */
  close(): void {
    this.#isClosed = true;
  }
}
