/** Converts counters to rates: each has the value and the time of the last call. */

export class CounterRates {
  #before = new Map<string, number>();
  #next = new Map<string, number>();
  #beforeAt: number | undefined;

  /**
   * The increase of the counter per second.
   * @param name identifies the counter and its start
   * @param at epoch milliseconds
   * @returns `undefined` the first time, and after the clock was set back
   */
  perSecond(name: string, value: number | undefined, at: number): number | undefined {
    const rise = this.rise(name, value);
    if (rise === undefined || this.#beforeAt === undefined || at <= this.#beforeAt) return undefined;
    return (rise / (at - this.#beforeAt)) * 1000;
  }

  /** The increase of the counter. A counter that fell has restarted. */
  rise(name: string, value: number | undefined): number | undefined {
    if (value === undefined) return undefined;
    this.#next.set(name, value);
    const before = this.#before.get(name);
    if (before === undefined) return undefined;
    return value >= before ? value - before : value;
  }

  /** Ends a round: counters that were not used in it are forgotten. */
  end(at: number): void {
    this.#before = this.#next;
    this.#next = new Map();
    this.#beforeAt = at;
  }
}
