/** Names that Caddy handles specially, as files that it checks. The routes decide which names. */
import { isAhead } from './edge/held-requests.ts';
import { nameFiles } from './name-files.ts';
import type { ProxyPaths } from './proxy-paths.ts';
import { fileNameOf, isWildcard, wildcardOf } from './route-names.ts';
import { routeNames } from './site-links.ts';
import type { Route } from './traffic.ts';

export type MarkedNamePaths = Pick<
  ProxyPaths,
  'switchingNames' | 'sleepingNames' | 'ruledNames' | 'wildcardNames' | 'h2cNames'
>;

/** @param all returns the current routes */
export function markedNames(paths: MarkedNamePaths, all: () => readonly Route[]) {
  const switching = nameFiles(paths.switchingNames);
  const sleeping = nameFiles(paths.sleepingNames);
  const ruled = nameFiles(paths.ruledNames);
  const wildcards = nameFiles(paths.wildcardNames);
  const h2c = nameFiles(paths.h2cNames);
  return {
    /**
     * Marks these names, and no others, as changing. Names whose requests wait stay marked: Caddy checks for waiting only within changing
     * names.
     * @param soon future routes whose requests may wait
     */
    markChanging(names: readonly string[], soon: readonly Route[] = []): void {
      const waiting = waitingNames([...all(), ...soon]);
      switching.set([...names, ...waiting]);
      sleeping.set(waiting);
    },
    /** @param soon future routes @returns true if all names with rules have their file; false on a full disk */
    markRuled: (soon: readonly Route[] = []): boolean => ruled.set(ruledNames([...all(), ...soon])),
    /** @param soon future routes @returns true if all names of apps with HTTP/2 have their file; false on a full disk */
    markH2c: (soon: readonly Route[] = []): boolean => h2c.set(h2cNames([...all(), ...soon])),
    markWildcards: (): boolean => wildcards.set(wildcardNames(all())),
    /** @returns the directories whose files another program had changed; they are restored */
    repair: (): string[] =>
      Object.entries({
        switchingNames: switching,
        sleepingNames: sleeping,
        ruledNames: ruled,
        wildcardNames: wildcards,
        h2cNames: h2c,
      })
        .filter(([, files]) => files.repair())
        .map(([name]) => paths[name as keyof MarkedNamePaths]),
  };
}

/** Host names about whose requests Caddy asks edge. */
const ruledNames = (routes: readonly Route[]) =>
  routes.flatMap(({ rules, hostnames }) => (rules ? hostnames.map(fileNameOf) : []));

const h2cNames = (routes: readonly Route[]) =>
  routes.filter(({ target }) => target.type === 'container' && target.protocol === 'h2c').flatMap(routeNames);

/** Wildcards, and names below them that have a separate route. */
function wildcardNames(routes: readonly Route[]): string[] {
  const names = routes.flatMap(({ hostnames }) => hostnames);
  const wildcards = new Set(names.filter(isWildcard));
  if (wildcards.size === 0) return [];
  return names.filter((name) => isWildcard(name) || wildcards.has(wildcardOf(name))).map(fileNameOf);
}

/** Names of services that are asleep, or whose containers are stopped or down for a moment. */
const waitingNames = (routes: readonly Route[]) => routes.filter(isWaiting).flatMap(routeNames);

function isWaiting({ target }: Route): boolean {
  if (target.type !== 'container') return false;
  const { asleep, heldUntil, awayUntil } = target;
  return asleep === true || [heldUntil, awayUntil].some((until) => isAhead(until, Date.now()));
}
