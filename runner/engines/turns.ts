/** So many at once; whoever comes later waits for their turn, in order. */
import { EngineError } from './engine-error.ts';

export class Turns {
  #free: number;
  #ended = false;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** @throws EngineError `unavailable` after the end */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#ended) throw new EngineError('unavailable', 'The session is closed.');
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** Whoever waits is refused; what is at work goes on to its end. */
  end(): void {
    this.#ended = true;
  }
}
