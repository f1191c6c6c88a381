/**
 * The traffic of this host: the route table, the links of static sites, and `edge`, which must confirm a switch before it counts.
 * Changes run one after the other. After a crash the state file decides: the next start recreates the links from it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceNames } from '../../protocol/service-names.ts';
import { routeRefreshMs } from './caddy/caddy-config.ts';
import { type MarkedNamePaths, markedNames } from './marked-names.ts';
import { probeRoute } from './probe.ts';
import { ProxyError } from './proxy-error.ts';
import type { ProxyPaths } from './proxy-paths.ts';
import { fileNameOf, sampleOf, wildcardOf } from './route-names.ts';
import { openRouteTable, routeUnder, type TableEntry } from './route-table.ts';
import { routeNames, siteLinks } from './site-links.ts';
import { prepareRelease } from './site-release.ts';
import { drained } from './tcp-table.ts';
import { addressesOf, type ContainerTarget, type Route, type Traffic } from './traffic.ts';

/** The methods of the running `edge` that traffic needs. */
export interface EdgeLink {
  /** Makes edge reload its state. */
  reload(): void;
  /** The version of edge's current state; `undefined` if it does not answer. */
  version(): Promise<number | undefined>;
}

/** Edge confirms within milliseconds; a crashed edge is restarted within two seconds. */
const confirmDefaultMs = 10_000;
const confirmPollMs = 20;

/** The time after which no look-up in Caddy's cache has the old answer. */
const spreadMs = routeRefreshMs + 50;

export interface LocalTrafficParts {
  paths: Pick<ProxyPaths, 'edgeState' | 'sites' | 'httpsNames'> & MarkedNamePaths;
  httpPort: number;
  httpsPort: number;
  edge: EdgeLink;
  /** The time limit for edge to confirm a new state. */
  confirmMs?: number;
}

export interface LocalTraffic extends Traffic {
  /** Restores files that another program has changed or removed. @returns their paths */
  repair(): Promise<string[]>;
}

/** @throws ProxyError `state_unreadable` */
export function createTraffic({
  paths,
  httpPort,
  httpsPort,
  edge,
  confirmMs = confirmDefaultMs,
}: LocalTrafficParts): LocalTraffic {
  const table = openRouteTable(paths.edgeState);
  const links = siteLinks(paths.sites);
  const marked = markedNames(paths, table.all);
  const { markChanging, markRuled, markWildcards, markH2c } = marked;
  const oneByOne = queue();
  let namesChanged = () => {};
  for (const route of table.all()) links.publish(route);
  links.sweep(table.all());
  markRuled();
  markWildcards();
  markH2c();
  markChanging([]); // the runner may have died in the middle of a switch

  /** A name with a certificate is served over HTTPS alone. */
  const doorOf = (name: string) => {
    const served = [name, wildcardOf(name)].filter((one) => one !== '').map(fileNameOf);
    const isHttps = served.some((file) => existsSync(join(paths.httpsNames, file)));
    return { port: isHttps ? httpsPort : httpPort, isHttps };
  };

  /** Removes old entries: first for new requests, then, after the last running one has ended, from disk. */
  async function spread(): Promise<void> {
    links.retire(table.all());
    await pause(spreadMs);
    links.sweep(table.all());
  }

  /** Writes the state and waits until edge answers from it; on failure restores the old routes and names. */
  async function commit(entries: readonly TableEntry[]) {
    const before = entries.map(({ serviceId }) => ({
      serviceId,
      route: table.of(serviceId),
      names: table.namesOf(serviceId),
    }));
    // Caddy first starts to ask about a name, then edge gets its rules: no request passes a new name without them.
    const added = entries.flatMap(({ route }) => (route?.rules ? route : []));
    if (added.length > 0 && !markRuled(added)) throw rulesNotStored();
    // The same for HTTP/2: a request must not reach such an app by HTTP/1.1.
    const soon = entries.flatMap(({ route }) => route ?? []);
    if (!markH2c(soon)) throw protocolNotStored();
    table.putAll(entries);
    if (!(await confirmed(edge, table.version, confirmMs))) {
      table.putAll(before);
      edge.reload();
      throw new ProxyError(
        'edge_silent',
        'The proxy did not load the new route in time; the old one stays in use.',
      );
    }
    markRuled();
    markWildcards();
    markH2c();
    namesChanged();
  }

  /** Points exactly these names to the targets of their routes. */
  async function pointNames(entries: readonly (TableEntry & { route: Route })[]): Promise<void> {
    const routes = entries.map(({ route }) => route);
    const before = routes.flatMap(({ serviceId }) => table.of(serviceId) ?? []);
    const isOf = (type: Route['target']['type']) => (route: Route) => route.target.type === type;
    const names = routes.flatMap(routeNames);
    // Called before the state that has no address for them: a request in between would be held for long.
    markChanging(names, routes);
    try {
      // Caddy looks for a site's link before it asks edge. So links are created before the state with a site, and removed after the state
      // with a container: there is always at least one of them.
      for (const route of routes) links.publish(route);
      // A request that arrived just before the links still asks edge, and must find the old answer there.
      if (before.some(isOf('container')) && routes.some(isOf('site'))) await pause(spreadMs);
      await commit(entries);
    } catch (error) {
      for (const route of before) links.publish(route);
      throw error;
    } finally {
      markChanging(names);
      await spread();
      markChanging([]);
    }
  }

  type Live = Pick<Route, 'serviceId' | 'deploymentId'>;
  type Changed = (Pick<Route, 'sleep'> & { target: ContainerTarget }) | undefined;

  /** @param change returns `undefined` if nothing changes */
  const changeTargets = <Given extends Live>(
    versions: readonly Given[],
    change: (target: ContainerTarget, given: Given) => Changed,
  ) =>
    oneByOne(async () => {
      const entries = versions.flatMap((given) => {
        const { serviceId, deploymentId } = given;
        const route = table.of(serviceId);
        if (route?.deploymentId !== deploymentId || route.target.type !== 'container') return [];
        const changed = change(route.target, given);
        return changed ? { serviceId, route: { ...route, ...changed }, names: table.namesOf(serviceId) } : [];
      });
      if (entries.length > 0) await pointNames(entries);
    });
  const changeTarget = (live: Live, change: (target: ContainerTarget) => Changed) =>
    changeTargets([live], change);

  async function removeEntries(serviceId: string, what: 'route' | 'route and names'): Promise<void> {
    const removed = await oneByOne(async () => {
      const known = table.namesOf(serviceId);
      const kept = what === 'route' ? known : undefined;
      if (!table.of(serviceId) && kept === known) return false;
      await commit([{ serviceId, route: undefined, names: kept }]);
      links.retire(table.all());
      return true;
    });
    if (!removed) return;
    // Waits outside the queue, so that all services of a project wait in parallel.
    await pause(spreadMs);
    await oneByOne(async () => links.sweep(table.all()));
  }

  return {
    switchTo: (route, given) =>
      oneByOne(async () => {
        const names = later(given, table.namesOf(route.serviceId));
        const named = routeUnder(names, route);
        table.check(named);
        if (route.target.type === 'site') await prepareRelease(route.target.directory, paths.sites);
        await pointNames([{ serviceId: named.serviceId, route: named, names }]);
      }),
    setDown: (versions) =>
      changeTargets(versions, ({ down: before = [], awayUntil: until, ...target }, { down, awayUntil }) => {
        const found = addressesOf(target).filter((address) => down.includes(address));
        if (found.join() === before.join() && until === awayUntil) return undefined;
        const away = awayUntil === undefined ? {} : { awayUntil };
        return { target: { ...target, ...(found.length > 0 ? { down: found, ...away } : {}) } };
      }),
    setAsleep: (live, sleep, retryAt) =>
      changeTarget(live, ({ asleep = false, retryAt: before, ...target }) => {
        const wanted = sleep.asleepSince !== null;
        if (asleep === wanted && retryAt === before) return undefined;
        if (!wanted) return { sleep, target };
        return { sleep, target: { ...target, asleep: true, ...(retryAt === undefined ? {} : { retryAt }) } };
      }),
    setHeld: (live, until) =>
      changeTarget(live, ({ heldUntil: before = null, ...target }) => {
        if (target.asleep || until === before) return undefined;
        return { target: until === null ? target : { ...target, heldUntil: until } };
      }),
    setNames: (serviceId, given) =>
      oneByOne(async () => {
        const names = later(given, table.namesOf(serviceId));
        if (names !== given) return;
        const route = table.of(serviceId);
        const named = route && routeUnder(names, route);
        if (named) {
          table.check(named);
          return await pointNames([{ serviceId, route: named, names }]);
        }
        table.put(serviceId, undefined, names);
        namesChanged();
      }),
    repair: () =>
      oneByOne(async () => {
        const isTableChanged = table.repair();
        if (isTableChanged) edge.reload();
        const changed = [...marked.repair(), ...links.repair(table.all())];
        return isTableChanged ? [paths.edgeState, ...changed] : changed;
      }),
    names: () => table.names(),
    onNames: (changed) => {
      namesChanged = changed;
    },
    remove: (serviceId) => removeEntries(serviceId, 'route'),
    forget: (serviceId) => removeEntries(serviceId, 'route and names'),
    current: (serviceId) => table.of(serviceId),
    all: () => table.all(),
    probe: (hostname) => {
      const name = hostname.toLowerCase();
      return probeRoute(sampleOf(name), doorOf(name), table.knows(name));
    },
    drained: (address, timeoutMs, signal) => drained(address, { timeoutMs, settleMs: spreadMs, signal }),
  };
}

const rulesNotStored = () =>
  new ProxyError('bad_route', 'The traffic rules could not be written: the disk of the host may be full.');

const protocolNotStored = () =>
  new ProxyError('bad_route', "The app's protocol could not be written: the disk of the host may be full.");

/** The later revision of two sets of names; of equal revisions, the new one. */
function later(given: ServiceNames | undefined, known: ServiceNames | undefined): ServiceNames | undefined {
  return !given || (known && known.revision > given.revision) ? known : given;
}

async function confirmed(edge: EdgeLink, version: number, confirmMs: number): Promise<boolean> {
  const endsAt = performance.now() + confirmMs;
  edge.reload();
  while ((await edge.version()) !== version) {
    if (performance.now() > endsAt) return false;
    await pause(confirmPollMs);
    // Repeated, because the signal may have reached an edge that was about to end.
    edge.reload();
  }
  return true;
}

/** Runs its tasks one after the other, even if one fails. */
function queue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
