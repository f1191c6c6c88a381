/** Random choices of a seed: the same seed gives the same faults at the same moments. */

export interface Draws {
  /** From 0 up to, not including, 1. */
  next(): number;
  of<T>(list: readonly T[]): T;
}

/** mulberry32, a public-domain generator by Tommy Ettinger. */
export function drawsOf(seed: number): Draws {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    of: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
  };
}
