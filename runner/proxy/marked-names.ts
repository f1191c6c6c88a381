/** Names for which Caddy does more than usual, as files that it looks for. Which ones follows from the routes. */
import { isAhead } from './edge/held-requests.ts';
import { nameFiles } from './name-files.ts';
import type { ProxyPaths } from './proxy-paths.ts';
import { fileNameOf, isWildcard, wildcardOf } from './route-names.ts';
import { routeNames } from './site-links.ts';
import type { Route } from './traffic.ts';

export type MarkedNamePaths = Pick<
  ProxyPaths,
  'switchingNames' | 'sleepingNames' | 'ruledNames' | 'wildcardNames'
>;

/** @param all the routes of now */
export function markedNames(paths: MarkedNamePaths, all: () => readonly Route[]) {
  const switching = nameFiles(paths.switchingNames);
  const sleeping = nameFiles(paths.sleepingNames);
  const ruled = nameFiles(paths.ruledNames);
  const wildcards = nameFiles(paths.wildcardNames);
  return {
    /**
     * These names change, and no others. Names whose requests wait stay among those that change: Caddy looks for the first kind only within
     * the second one.
     * @param soon routes to come whose requests may wait
     */
    markChanging(names: readonly string[], soon: readonly Route[] = []): void {
      const waiting = waitingNames([...all(), ...soon]);
      switching.set([...names, ...waiting]);
      sleeping.set(waiting);
    },
    /** @param soon routes to come @returns whether all names with rules have their file: false on a full disk */
    markRuled: (soon: readonly Route[] = []): boolean => ruled.set(ruledNames([...all(), ...soon])),
    markWildcards: (): boolean => wildcards.set(wildcardNames(all())),
    /** @returns the directories in which something else has changed files: they are as they were */
    repair: (): string[] =>
      Object.entries({
        switchingNames: switching,
        sleepingNames: sleeping,
        ruledNames: ruled,
        wildcardNames: wildcards,
      })
        .filter(([, files]) => files.repair())
        .map(([name]) => paths[name as keyof MarkedNamePaths]),
  };
}

/** Host names whose requests Caddy asks edge about. */
const ruledNames = (routes: readonly Route[]) =>
  routes.flatMap(({ rules, hostnames }) => (rules ? hostnames.map(fileNameOf) : []));

/** Wildcards, and names below them that have a route of their own. */
function wildcardNames(routes: readonly Route[]): string[] {
  const names = routes.flatMap(({ hostnames }) => hostnames);
  const wildcards = new Set(names.filter(isWildcard));
  if (wildcards.size === 0) return [];
  return names.filter((name) => isWildcard(name) || wildcards.has(wildcardOf(name))).map(fileNameOf);
}

/** Those of services that are asleep, or whose containers are stopped or away for a moment. */
const waitingNames = (routes: readonly Route[]) => routes.filter(isWaiting).flatMap(routeNames);

function isWaiting({ target }: Route): boolean {
  if (target.type !== 'container') return false;
  const { asleep, heldUntil, awayUntil } = target;
  return asleep === true || [heldUntil, awayUntil].some((until) => isAhead(until, Date.now()));
}
