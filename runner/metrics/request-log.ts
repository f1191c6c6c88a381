/**
 * Counts requests by host name from the log in which the proxy writes a line for each. The proxy never waits for a reader, and lines
 * written while the runner was stopped are dropped: they belong to no step.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { portLogger, requestLogger } from '../proxy/caddy/caddy-request-log.ts';
import { wildcardOf } from '../proxy/route-names.ts';
import type { Route } from '../proxy/traffic.ts';
import { Histogram } from './histogram.ts';

export interface RequestCounts {
  durations: Histogram;
  /** Answered with a status of 500 or more. */
  errors: number;
  /** Answers of 200 to 299, 300 to 399 and 400 to 499. */
  status2xx: number;
  status3xx: number;
  status4xx: number;
}

export const noRequests = (): RequestCounts => ({
  durations: new Histogram(),
  ...{ errors: 0, status2xx: 0, status3xx: 0, status4xx: 0 },
});
const classes = [undefined, undefined, 'status2xx', 'status3xx', 'status4xx'] as const;

export type CountedRequests = Map<string, RequestCounts>;

/** A request in the proxy's log. */
export interface LoggedRequest {
  host: string;
  method: string;
  /** The path without query. */
  uri: string;
  /** The first 24 bits of an IPv4 address, the first 48 of an IPv6 address. */
  network: string;
  /** Body of the answer. */
  bytes: number;
  /** The end time, in microseconds since the epoch. */
  at: number;
  /** True if the request used a host port. */
  isAtPort: boolean;
  status: number;
  milliseconds: number;
}
/** Gets each request of a route with a log of requests. */
export type TakeRequest = (route: Route, request: LoggedRequest) => void;
type RouteOf = (request: LoggedRequest) => Route | undefined;

/** The state of one call of `count`. */
interface Round {
  routeOf: RouteOf;
  counts: CountedRequests;
  take: TakeRequest | undefined;
}

const blockBytes = 256 * 1024;
/** The limit of one round: more than the proxy can write in ten seconds. The rest is dropped, so that a round has an end. */
const roundBytesMax = 128 * 2 ** 20;
const newline = 10;
/** A loopback address in a Host header. */
const isLoopback = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

export class RequestLog {
  readonly #path: string;
  #file: number | undefined;
  #offset = 0;
  #rest = Buffer.alloc(0);

  /** Follows from the current end of the log. */
  constructor(path: string) {
    this.#path = path;
    this.#reopen();
    if (this.#file !== undefined) this.#offset = fstatSync(this.#file).size;
  }

  /**
   * Counts the lines since the last call. When the log was rotated, first the rest of the old file, then the new one.
   * @param routes the current names and ports of services. Other names are not counted: any client can send them.
   * @param take gets the requests of routes with a log of requests
   */
  count(routes: readonly Route[], take?: TakeRequest): CountedRequests {
    const counts: CountedRequests = new Map();
    const round: Round = { routeOf: namesOf(routes), counts, take };
    if (this.#file === undefined) this.#reopen();
    this.#readRest(round);
    if (this.#isRotated()) {
      this.close();
      this.#reopen();
      this.#readRest(round);
    }
    return counts;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #reopen(): void {
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
    try {
      this.#file = openSync(this.#path, 'r');
    } catch {
      this.#file = undefined; // The proxy creates the file with its first line.
    }
  }

  #isRotated(): boolean {
    if (this.#file === undefined) return false;
    try {
      return statSync(this.#path).ino !== fstatSync(this.#file).ino;
    } catch {
      return false; // between the rename and the new file
    }
  }

  #readRest(round: Round): void {
    if (this.#file === undefined) return;
    const { size } = fstatSync(this.#file);
    if (size < this.#offset || size - this.#offset > roundBytesMax) {
      this.#offset = size;
      this.#rest = Buffer.alloc(0);
    }
    const block = Buffer.alloc(Math.min(blockBytes, size - this.#offset));
    while (this.#offset < size) {
      const length = readSync(this.#file, block, 0, block.length, this.#offset);
      if (length === 0) return;
      this.#offset += length;
      this.#take(block.subarray(0, length), round);
    }
  }

  #take(bytes: Buffer, { routeOf, counts, take }: Round): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = all.lastIndexOf(newline) + 1;
    // A line without an end is not from the proxy.
    this.#rest = all.length - end > blockBytes ? Buffer.alloc(0) : Buffer.from(all.subarray(end));
    for (const line of all.toString('utf8', 0, end).split('\n')) {
      const request = line === '' ? undefined : parseLine(line);
      const route = request && routeOf(request);
      if (!request || !route) continue;
      const { serviceId } = route;
      if (route.accessLog) take?.(route, request);
      const known = counts.get(serviceId) ?? noRequests();
      known.durations.add(request.milliseconds);
      if (request.status >= 500) known.errors += 1;
      const group = classes[Math.floor(request.status / 100)];
      if (group) known[group] += 1;
      counts.set(serviceId, known);
    }
  }
}

/** Not a schema: a busy proxy writes ten thousand lines between two calls. @returns `undefined` for a line that is not about a request */
function parseLine(line: string): LoggedRequest | undefined {
  let entry: Record<string, unknown> | null;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { logger, request, status, duration, size, ts, user_id: visitor } = entry ?? {};
  const { host, method, uri, remote_ip: peer } = (request ?? {}) as Record<string, unknown>;
  if (typeof host !== 'string' || typeof status !== 'number' || typeof duration !== 'number')
    return undefined;
  return {
    ...{ host, status, milliseconds: duration * 1000 },
    isAtPort: logger === `${requestLogger}.${portLogger}`,
    ...{ method: textOf(method), uri: textOf(uri), network: textOf(visitor) || textOf(peer) },
    bytes: typeof size === 'number' ? size : 0,
    at: typeof ts === 'number' ? Math.round(ts * 1e6) : 0,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** @returns a function that returns the route of a request's service. Any client can send any Host header to a web port of the proxy. */
function namesOf(routes: readonly Route[]): RouteOf {
  const byName = new Map(routes.flatMap((route) => route.hostnames.map((name) => [name, route])));
  const byPort = new Map(routes.map((route) => [String(route.hostPort), route]));
  return ({ host, isAtPort }) => {
    const exact = byName.get(host);
    if (exact !== undefined) return exact;
    const [, name = '', port = ''] = /^(.*?)\.?(?::(\d+))?$/.exec(host.toLowerCase()) ?? [];
    return (
      byName.get(name) ??
      byName.get(wildcardOf(name)) ??
      (isAtPort && isLoopback.test(name) ? byPort.get(port) : undefined)
    );
  };
}
