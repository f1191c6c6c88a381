/** Reproducible random numbers: a generator that depends only on its seed (mulberry32, public domain). */
export interface Random {
  /** 0 <= x < 1 */
  next(): number;
  /** An integer, 0 <= x < bound. */
  below(bound: number): number;
  chance(probability: number): boolean;
  pick<One>(among: readonly One[]): One;
}

export function randomOf(seed: number | string): Random {
  let state = typeof seed === 'number' ? seed : hashOf(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick(among) {
      const picked = among[below(among.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}

/** FNV-1a, 32 bit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}
