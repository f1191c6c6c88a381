/**
 * Keys that were requested and whose values have not arrived. A server creates each dump when it reads the command, and holds it in memory
 * until it is read. So when values are large, only a few keys are requested at once.
 */
import { Queue } from './queue.ts';

/** The limit of requested keys. With a round trip of 50 ms, it allows 80,000 keys per second. */
const keysMax = 4_000;
/** The limit of data that the server may have to hold, estimated from recent values. */
const bytesMax = 8 * 1024 * 1024;
/** The assumed size of a value before any has arrived. */
const firstBytes = 64 * 1024;
/** The weight of one value in the moving average. The order of keys follows their hash, so large values are evenly spread. */
const weight = 0.02;

export class AskedKeys {
  readonly #keys = new Queue<Buffer>();
  #meanBytes = firstBytes;
  #wake: () => void = () => {};

  get length(): number {
    return this.#keys.length;
  }

  add(keys: readonly Buffer[]): void {
    for (const key of keys) this.#keys.push(key);
  }

  /** Removes and returns the key of the next answer, in the order of the requests. @param bytes of its value */
  answered(bytes: number): Buffer {
    const key = this.#keys.shift();
    if (!key) throw new Error('the server sent a reply without a request');
    this.#meanBytes += (bytes - this.#meanBytes) * weight;
    this.#wake();
    return key;
  }

  /** The number of keys that may still be requested. Waits until there are enough for a packet. */
  async room(): Promise<number> {
    for (;;) {
      const window = Math.max(1, Math.min(keysMax, Math.floor(bytesMax / (this.#meanBytes + 1))));
      const free = window - this.#keys.length;
      if (free > 0 && free >= window / 2) return free;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
