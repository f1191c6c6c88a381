/** Limits of traffic rules. A file without zod, because edge does not load zod. */

export const redirectStatuses = [301, 302, 307, 308] as const;

export const megabyte = 1_000_000;
/** In megabytes. A closed set, because each size is a route of Caddy's config, which never changes while Caddy runs. */
export const bodySizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;
/** Seconds until an app's first byte; a closed set for the same reason. */
export const firstByteTimes = [5, 10, 30, 60, 120, 300] as const;
/** Seconds for which an app may send nothing; a closed set for the same reason. */
export const idleTimes = [10, 60, 600] as const;
/** Most header rules in each direction: Caddy's config has this many places. */
export const headerRulesMax = 10;

/** Time limits of a request: seconds, or null for no limit. */
export interface TimeLimits {
  firstByteSeconds: number | null;
  idleSeconds: number | null;
}

/** Every pair except no limit at all. Before the app begins its answer, it is silent too, so the idle time must be the longer one. */
export const timeLimitPairs: readonly TimeLimits[] = [null, ...idleTimes].flatMap((idleSeconds) =>
  [null, ...firstByteTimes]
    .filter((first) => first === null || idleSeconds === null || first < idleSeconds)
    .map((firstByteSeconds) => ({ firstByteSeconds, idleSeconds }))
    .filter((pair) => timeLimitsName(pair) !== ''),
);

/** The name by which edge refers to a pair in answers to Caddy; empty: no limit. */
export function timeLimitsName({ firstByteSeconds, idleSeconds }: TimeLimits): string {
  return firstByteSeconds === null && idleSeconds === null
    ? ''
    : `${firstByteSeconds ?? '-'}/${idleSeconds ?? '-'}`;
}
