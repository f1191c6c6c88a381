/** The health of a service before and after a version went live, from its metrics. */

export const minutesAround = 10;

/** Null: not measured. */
interface Health {
  /** A minute. */
  requests: number | null;
  /** In percent of the requests. */
  errors: number | null;
  /** Milliseconds. */
  p99: number | null;
}

export interface HealthAround {
  before: Health;
  after: Health;
}

interface Measured {
  from: string;
  stepSeconds: number;
  series: readonly { name: string; unit: string; average: readonly (number | null)[] }[];
}

/** @returns undefined if nothing was measured before or after */
export function healthOf(
  { from, stepSeconds, series }: Measured,
  liveAtMs: number,
): HealthAround | undefined {
  const split = Math.max(0, Math.ceil((liveAtMs - Date.parse(from)) / 1000 / stepSeconds));
  const part = (begin: number, end?: number): Health => {
    const mean = (name: string) => {
      const values = (series.find((one) => one.name === name)?.average ?? [])
        .slice(begin, end)
        .filter((value) => value !== null);
      return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const requests = mean('requests');
    const errors = mean('errors');
    return {
      requests: requests === null ? null : requests * 60,
      errors: requests === null || errors === null || requests === 0 ? null : (errors / requests) * 100,
      p99: mean('latencyP99'),
    };
  };
  const both = { before: part(0, split), after: part(split) };
  return both.before.requests === null || both.after.requests === null ? undefined : both;
}

/** Fewer requests say nothing about a version: the night has fewer, too. */
const errorsWorse = 1;
const slowerFactor = 1.5;
const slowerMs = 50;

/** Whether more requests fail, or the slowest answers take clearly longer. */
export function isWorse({ before, after }: HealthAround): boolean {
  const failsMore = (after.errors ?? 0) - (before.errors ?? 0) >= errorsWorse;
  const isSlower =
    before.p99 !== null &&
    after.p99 !== null &&
    after.p99 > before.p99 * slowerFactor &&
    after.p99 - before.p99 > slowerMs;
  return failsMore || isSlower;
}
