/** Counts by name within the current minute, in memory. The clock is passed in. */

export const minuteMs = 60_000;
/** Limits memory use if there are very many names: further names share one count. */
const namesMax = 20_000;
const others = '';

export class MinuteCounts {
  #minute = Number.NaN;
  readonly #counts = new Map<string, number>();

  add(name: string, now: number): number {
    this.#turnTo(minuteOf(now));
    const counted = this.#counts.has(name) || this.#counts.size < namesMax ? name : others;
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    return count;
  }

  isEmpty(now: number): boolean {
    this.#turnTo(minuteOf(now));
    return this.#counts.size === 0;
  }

  of(name: string, now: number): number {
    this.#turnTo(minuteOf(now));
    return this.#counts.get(name) ?? (this.#counts.size < namesMax ? 0 : (this.#counts.get(others) ?? 0));
  }

  #turnTo(minute: number): void {
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counts.clear();
  }
}

/** @param moment epoch milliseconds @returns epoch minute */
export const minuteOf = (moment: number): number => Math.floor(moment / minuteMs);

/** Seconds until the counts reset, for `Retry-After`. */
export const secondsToNextMinute = (now: number): number => Math.ceil((minuteMs - (now % minuteMs)) / 1000);
