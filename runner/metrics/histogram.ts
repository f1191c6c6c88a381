/** Durations counted in buckets of 4 %, so that a percentile of any number of requests costs the same. */

const perFactor = 25;
/** A millionth of a millisecond to some hours. */
const buckets = 512;
/** Units per millisecond: the smallest duration that differs from zero is a microsecond. */
const scale = 1_000;

export class Histogram {
  readonly #counts = new Uint32Array(buckets);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(milliseconds: number): void {
    const bucket = Math.floor(Math.log1p(Math.max(0, milliseconds) * scale) * perFactor);
    const at = Math.min(bucket, buckets - 1);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total += 1;
  }

  addAll(other: Histogram): void {
    for (let at = 0; at < buckets; at++) {
      this.#counts[at] = (this.#counts[at] ?? 0) + (other.#counts[at] ?? 0);
    }
    this.#total += other.#total;
  }

  /** @param share 0.99: the duration that 99 of 100 requests did not exceed, in milliseconds. @returns null without requests */
  percentile(share: number): number | null {
    if (this.#total === 0) return null;
    let left = Math.ceil(this.#total * share);
    for (let at = 0; at < buckets; at++) {
      left -= this.#counts[at] ?? 0;
      if (left <= 0) return Math.expm1((at + 0.5) / perFactor) / scale;
    }
    return null;
  }
}
