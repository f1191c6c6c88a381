/** Counts the keys that expire during the copy: the server removes them itself, so they are not lost. */

const secondMs = 1_000;
/** Longer than the longest job. */
const secondsMax = 24 * 60 * 60;

export class ExpiryCounts {
  readonly #startedAt: number;
  /** One count per second. Keys that had expired before are in the first one. */
  readonly #perSecond = new Uint32Array(secondsMax);

  /** @param startedAt in ms of the epoch */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** @param expiresAt in ms of the epoch; 0 for never */
  add(expiresAt: number): void {
    if (expiresAt === 0) return;
    const second = this.#secondOf(expiresAt);
    if (second < secondsMax) this.#perSecond[second] = (this.#perSecond[second] ?? 0) + 1;
  }

  /** Keys that have expired, or expire within this second. */
  dueBy(now: number): number {
    return this.#perSecond.subarray(0, this.#secondOf(now) + 1).reduce((sum, count) => sum + count, 0);
  }

  #secondOf(moment: number): number {
    return Math.max(0, Math.floor((moment - this.#startedAt) / secondMs));
  }
}
