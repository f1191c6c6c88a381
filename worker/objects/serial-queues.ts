/**
 * Runs work in order, per key. Awaits inside an object interleave (its input gate is open while it waits for anything except its own
 * storage), so frames of one job are processed one at a time through this queue.
 */
export class SerialQueues {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work with the same key, successful or not. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#tails.get(key) ?? Promise.resolve();
    const result = earlier.then(work, work);
    const tail = result.then(noop, noop).then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    return result;
  }
}

function noop(): void {}
