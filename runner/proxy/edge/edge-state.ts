/**
 * The state file: every route of the host, with a version number that increases with each write. Parsed by hand and not with zod, because
 * `edge` parses it, too: zod costs 8 MB there, more than all of edge's own memory.
 */
import type { SleepHistory } from '../../../protocol/observed/observed-service.ts';
import type { AccessLogRule } from '../../../protocol/traffic/traffic-rules.ts';
import { isServedName } from '../route-names.ts';
import type { Route, RouteTarget } from '../traffic.ts';
import { integer, list, matching, record } from './fields.ts';
import { parseRules } from './rules/parse-rules.ts';

export interface EdgeState {
  version: number;
  routes: Route[];
}

export const emptyState: EdgeState = { version: 0, routes: [] };

/**
 * Parses the text of a state file.
 * @throws Error with the path of the invalid field
 */
export function parseEdgeState(text: string): EdgeState {
  const state = record(JSON.parse(text), 'state');
  return {
    version: integer(state.version, 'version', Number.MAX_SAFE_INTEGER),
    routes: list(state.routes, 'routes', parseRoute),
  };
}

/** Checks one route. Also used before a route is written, so that edge accepts every state file. */
export function parseRoute(value: unknown, path: string): Route {
  const route = record(value, path);
  const hostnames = hostNames(route.hostnames, `${path}.hostnames`);
  const { tlsNames, rules, accessLog, sleepAfterMinutes, sleep } = route;
  return {
    serviceId: matching(route.serviceId, /^[a-z0-9_-]{1,60}$/, `${path}.serviceId`),
    deploymentId: matching(route.deploymentId, /^[a-z0-9_-]{1,40}$/, `${path}.deploymentId`),
    hostnames,
    ...(tlsNames === undefined ? {} : { tlsNames: subset(tlsNames, hostnames, `${path}.tlsNames`) }),
    hostPort: integer(route.hostPort, `${path}.hostPort`, 65_535),
    ...(sleepAfterMinutes === undefined
      ? {}
      : { sleepAfterMinutes: integer(sleepAfterMinutes, `${path}.sleepAfterMinutes`, 100_000) }),
    ...(sleep === undefined ? {} : { sleep: parseSleep(record(sleep, `${path}.sleep`), `${path}.sleep`) }),
    target: parseTarget(record(route.target, `${path}.target`), `${path}.target`),
    ...(rules === undefined ? {} : { rules: parseRules(rules, `${path}.rules`) }),
    ...(accessLog === undefined ? {} : { accessLog: parseAccessLog(accessLog, `${path}.accessLog`) }),
  };
}

function parseAccessLog(value: unknown, path: string): AccessLogRule {
  const { sample } = record(value, path);
  if (typeof sample === 'number' && sample >= 0 && sample <= 1) return { sample };
  throw new Error(`${path}.sample is not from 0 to 1`);
}

function hostNames(value: unknown, path: string): string[] {
  return list(value, path, (name, at) => {
    if (typeof name === 'string' && isServedName(name)) return name;
    throw new Error(`${at} is not a lower-case host name`);
  });
}

function subset(value: unknown, hostnames: string[], path: string): string[] {
  const names = hostNames(value, path);
  const unlisted = names.find((name) => !hostnames.includes(name));
  if (unlisted === undefined) return names;
  throw new Error(`${path} has ${unlisted}, which is not among the host names`);
}

function parseTarget(target: Record<string, unknown>, path: string): RouteTarget {
  if (target.type === 'container') {
    const port = integer(target.port, `${path}.port`, 65_535);
    if (port === 0) throw new Error(`${path}.port must not be 0`);
    return {
      type: 'container',
      address: matching(target.address, ipv4, `${path}.address`),
      port,
      ...(target.protocol === 'h2c' ? { protocol: 'h2c' } : {}),
      ...addresses(target, 'others', path),
      ...addresses(target, 'down', path),
      ...(target.asleep === true ? { asleep: true } : {}),
      ...time(target, 'retryAt', path),
      ...time(target, 'heldUntil', path),
      ...time(target, 'awayUntil', path),
      ...health(target.health, `${path}.health`),
    };
  }
  if (target.type === 'site' && typeof target.spa === 'boolean') {
    return {
      type: 'site',
      directory: matching(target.directory, /^\/[^\0]+$/, `${path}.directory`),
      spa: target.spa,
    };
  }
  if (target.type === 'stopped') return { type: 'stopped' };
  throw new Error(`${path} is neither a container, a site nor stopped`);
}

function time(target: Record<string, unknown>, field: 'retryAt' | 'heldUntil' | 'awayUntil', path: string) {
  if (target[field] === undefined) return {};
  return { [field]: integer(target[field], `${path}.${field}`, Number.MAX_SAFE_INTEGER) };
}

function addresses(target: Record<string, unknown>, field: 'others' | 'down', path: string) {
  if (target[field] === undefined) return {};
  return { [field]: list(target[field], `${path}.${field}`, (one, at) => matching(one, ipv4, at)) };
}

function parseSleep(sleep: Record<string, unknown>, path: string): SleepHistory {
  const at = (field: keyof SleepHistory) =>
    sleep[field] === null ? null : integer(sleep[field], `${path}.${field}`, Number.MAX_SAFE_INTEGER);
  return { asleepSince: at('asleepSince'), lastWokeAt: at('lastWokeAt'), lastWakeMs: at('lastWakeMs') };
}

function health(value: unknown, path: string) {
  if (value === undefined) return {};
  const { path: asked, host, timeoutMs } = record(value, path);
  return {
    health: {
      path: matching(asked, /^[^\0]{1,2048}$/, `${path}.path`),
      ...(host === undefined ? {} : { host: matching(host, /^[\x21-\x7e]{1,300}$/, `${path}.host`) }),
      timeoutMs: integer(timeoutMs, `${path}.timeoutMs`, 3_600_000),
    },
  };
}

const octet = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const ipv4 = new RegExp(`^${octet}(\\.${octet}){3}$`);
