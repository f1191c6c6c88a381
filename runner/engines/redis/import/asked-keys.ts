/**
 * Keys whose values were asked for and have not come. A server makes each dump as soon as it reads the command, and holds it in its memory
 * until it is fetched: so few are asked for at once where values are large.
 */
import { Queue } from './queue.ts';

/** On a line of 50 ms it is 80,000 keys a second. */
const keysMax = 4_000;
/** What the server may have to hold, by what the last values were. */
const bytesMax = 8 * 1024 * 1024;
/** Of values that nobody has seen yet. */
const firstBytes = 64 * 1024;
/** How much one value weighs in the mean of the last ones: of the order of keys their hash decides, so large ones are strewn. */
const weight = 0.02;

export class AskedKeys {
  readonly #keys = new Queue<Buffer>();
  #meanBytes = firstBytes;
  #told: () => void = () => {};

  get length(): number {
    return this.#keys.length;
  }

  add(keys: readonly Buffer[]): void {
    for (const key of keys) this.#keys.push(key);
  }

  /** The one whose answer came, in the order in which they were asked for. @param bytes of its value */
  answered(bytes: number): Buffer {
    const key = this.#keys.shift();
    if (!key) throw new Error('a reply came that nobody has asked for');
    this.#meanBytes += (bytes - this.#meanBytes) * weight;
    this.#told();
    return key;
  }

  /** How many more may be asked for; waits until it is worth a packet. */
  async room(): Promise<number> {
    for (;;) {
      const window = Math.max(1, Math.min(keysMax, Math.floor(bytesMax / (this.#meanBytes + 1))));
      const free = window - this.#keys.length;
      if (free > 0 && free >= window / 2) return free;
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
  }
}
