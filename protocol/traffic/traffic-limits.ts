/** Limits of traffic rules. Without zod, which edge does not load. */

export const redirectStatuses = [301, 302, 307, 308] as const;

export const megabyte = 1_000_000;
/** In megabytes. A closed set, because each size is a route of Caddy's config, which never changes while it runs. */
export const bodySizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;
/** Seconds until an app's first byte; a closed set for the same reason. */
export const firstByteTimes = [5, 10, 30, 60, 120, 300] as const;
/** Header rules in each direction: Caddy's config has so many places. */
export const headerRulesMax = 10;
