/** The budget of one search on the host: bytes and time. */
import type { searchEnds } from '../../../protocol/logs/kept-logs.ts';

export class SearchBudget {
  readonly now: () => number;
  readonly #bytesMax: number;
  readonly #until: number;
  #bytes = 0;
  /** Number of lines that were compared or skipped by their bytes. */
  lines = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor({ bytes, ms }: { bytes: number; ms: number }, now: () => number = () => performance.now()) {
    this.now = now;
    this.#bytesMax = bytes;
    this.#until = now() + ms;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isSpent(): boolean {
    return this.spent !== undefined;
  }

  /** The part of the budget that is used up; `undefined` if there is none. */
  get spent(): (typeof searchEnds)[number] | undefined {
    if (this.#bytes >= this.#bytesMax) return 'bytes';
    return this.now() >= this.#until ? 'time' : undefined;
  }

  use(bytes: number): void {
    this.#bytes += bytes;
  }
}
