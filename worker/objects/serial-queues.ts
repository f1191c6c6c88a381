/**
 * Work in order, per key. Awaits inside an object interleave (its input gate is open while it waits for anything but its own
 * storage), so frames of one job are taken one after the other through this.
 */
export class SerialQueues {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work of the same key, whatever became of it. */
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
