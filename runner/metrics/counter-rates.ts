/** Turns counters into rates: each has the value and the time of the last call. */

export class CounterRates {
  #before = new Map<string, number>();
  #next = new Map<string, number>();
  #beforeAt: number | undefined;

  /**
   * What the counter rose by, per second.
   * @param name identifies the counter and its start
   * @param at epoch milliseconds
   * @returns undefined the first time, and after the clock went back
   */
  perSecond(name: string, value: number | undefined, at: number): number | undefined {
    const rise = this.rise(name, value);
    if (rise === undefined || this.#beforeAt === undefined || at <= this.#beforeAt) return undefined;
    return (rise / (at - this.#beforeAt)) * 1000;
  }

  /** What it rose by. One that fell has begun anew. */
  rise(name: string, value: number | undefined): number | undefined {
    if (value === undefined) return undefined;
    this.#next.set(name, value);
    const before = this.#before.get(name);
    if (before === undefined) return undefined;
    return value >= before ? value - before : value;
  }

  /** Ends a round: counters that were not seen in it are forgotten. */
  end(at: number): void {
    this.#before = this.#next;
    this.#next = new Map();
    this.#beforeAt = at;
  }
}
