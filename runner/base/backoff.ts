/** The wait before the next attempt: "full jitter", so that a thousand hosts do not reconnect in the same second. */

export interface BackoffLimits {
  minMs: number;
  maxMs: number;
}

/**
 * A random wait between `minMs` and an upper bound that doubles with every failed attempt, up to `maxMs`.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 * @param attempt failures so far, from 0
 * @param random 0 <= random < 1
 */
export function backoffMs(attempt: number, { minMs, maxMs }: BackoffLimits, random: number): number {
  const upper = Math.min(maxMs, 2 * minMs * 2 ** Math.min(attempt, 30));
  return Math.round(minMs + random * (upper - minMs));
}
