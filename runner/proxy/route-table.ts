/**
 * The runner's side of the state file: read once, replaced as a whole with every change. Routes and names are keyed by service; `edge`
 * reads only the routes. Both are in one file, so that a crash can't separate them.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ServiceNames, serviceNamesSchema } from '../../protocol/service-names.ts';
import { replaceFile } from '../base/replace-file.ts';
import { type EdgeState, emptyState, parseEdgeState, parseRoute } from './edge/edge-state.ts';
import { ProxyError } from './proxy-error.ts';
import type { KnownNames, Route } from './traffic.ts';

export interface RouteTable {
  readonly version: number;
  all(): Route[];
  of(serviceId: string): Route | undefined;
  /** The names of all services that have any, with or without a route. */
  names(): KnownNames[];
  namesOf(serviceId: string): KnownNames | undefined;
  /** True if a route has this host name. */
  knows(hostname: string): boolean;
  /** @throws ProxyError `name_taken`, `bad_route` if `put` would refuse this route */
  check(route: Route): void;
  /**
   * Sets or removes (undefined) a service's route and names. When this returns, the file is safe on disk with an increased version.
   * @throws the errors of `check`
   */
  put(serviceId: string, route: Route | undefined, names?: ServiceNames): void;
  /** The same for several services, in one version. */
  putAll(entries: readonly TableEntry[]): void;
  /** Writes the file again if another program has changed it. @returns true if it was changed */
  repair(): boolean;
}

export interface TableEntry {
  serviceId: string;
  route: Route | undefined;
  names: ServiceNames | undefined;
}

interface TableState extends EdgeState {
  names: KnownNames[];
}

const namesSchema = z.object({
  names: z.array(serviceNamesSchema.extend({ serviceId: z.string() })).default([]),
});

/** @throws ProxyError `state_unreadable`: a damaged file is never overwritten, because it is the only copy of the routes */
export function openRouteTable(stateFile: string): RouteTable {
  let state = readState(stateFile);
  let text = textOf(stateFile);
  const others = (serviceId: string) => state.routes.filter((route) => route.serviceId !== serviceId);
  const namesOf = (serviceId: string) => state.names.find((names) => names.serviceId === serviceId);
  const check = (route: Route) => {
    refuseMalformed(route);
    refuseTaken(route, others(route.serviceId));
  };
  const putAll = (entries: readonly TableEntry[]) => {
    for (const { route } of entries) if (route) check(route);
    const changed = new Set(entries.map(({ serviceId }) => serviceId));
    const isOther = ({ serviceId }: { serviceId: string }) => !changed.has(serviceId);
    const given = structuredClone(entries);
    const next: TableState = {
      version: state.version + 1,
      routes: [...state.routes.filter(isOther), ...given.flatMap(({ route }) => route ?? [])],
      names: [
        ...state.names.filter(isOther),
        ...given.flatMap(({ serviceId, names }) => (names ? { ...names, serviceId } : [])),
      ],
    };
    const written = `${JSON.stringify(next)}\n`;
    replaceFile(stateFile, written);
    text = written;
    state = next;
  };
  return {
    check,
    get version() {
      return state.version;
    },
    all: () => structuredClone(state.routes),
    of: (serviceId) => structuredClone(state.routes.find((route) => route.serviceId === serviceId)),
    names: () => structuredClone(state.names),
    namesOf: (serviceId) => structuredClone(namesOf(serviceId)),
    knows: (hostname) => state.routes.some((route) => route.hostnames.includes(hostname)),
    put: (serviceId, route, names) => putAll([{ serviceId, route, names }]),
    putAll,
    repair() {
      if (text === undefined || textOf(stateFile) === text) return false;
      replaceFile(stateFile, text);
      return true;
    },
  };
}

/** The route with these names; without any, with its own names. */
export function routeUnder(names: ServiceNames | undefined, route: Route): Route {
  if (!names) return route;
  const { rules: _, accessLog: __, ...bare } = route;
  return {
    ...bare,
    ...rulesPart(names.rules),
    hostnames: names.names.map(({ hostname }) => hostname),
    tlsNames: names.names.filter(({ isActive }) => isActive).map(({ hostname }) => hostname),
  };
}

/** The log of requests is no rule for edge: a name with only this is served without a question to edge. */
function rulesPart(given: ServiceNames['rules']): Pick<Route, 'rules' | 'accessLog'> {
  if (!given) return {};
  const { accessLog, ...rules } = given;
  const isApplied = Object.values(rules).some((one) =>
    Array.isArray(one) ? one.length > 0 : (one ?? null) !== null,
  );
  return { ...(isApplied && { rules }), ...(accessLog && { accessLog }) };
}

/** @returns `undefined` if the file is missing, or can't be read */
function textOf(stateFile: string): string | undefined {
  try {
    return readFileSync(stateFile, 'utf8');
  } catch {
    return undefined;
  }
}

function readState(stateFile: string): TableState {
  let text: string;
  try {
    text = readFileSync(stateFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { ...emptyState, names: [] };
    throw error;
  }
  try {
    return { ...parseEdgeState(text), ...namesSchema.parse(JSON.parse(text)) };
  } catch (error) {
    throw new ProxyError('state_unreadable', `The route file ${stateFile} is damaged: ${String(error)}`, {
      cause: error,
    });
  }
}

function refuseMalformed(route: Route): void {
  try {
    parseRoute(route, 'route');
  } catch (error) {
    throw new ProxyError('bad_route', `This route can't be served: ${String(error)}`, { cause: error });
  }
}

function refuseTaken(route: Route, others: Route[]): void {
  for (const other of others) {
    const hostname = route.hostnames.find((name) => other.hostnames.includes(name));
    if (hostname) throw taken(`The host name ${hostname}`, other);
    if (route.hostPort && route.hostPort === other.hostPort)
      throw taken(`Host port ${route.hostPort}`, other);
  }
}

const taken = (what: string, by: Route) =>
  new ProxyError('name_taken', `${what} already leads to another service of this host (${by.serviceId}).`);
