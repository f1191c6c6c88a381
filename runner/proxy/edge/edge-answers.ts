/** The tables from which `edge` answers. Pure: the state in, tables out. */

import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { hostPortName, wildcardOf } from '../route-names.ts';
import type { ContainerTarget } from '../traffic.ts';
import type { EdgeState } from './edge-state.ts';

/**
 * The time that the address of a replaced deployment is still answered. Caddy caches an SRV answer for 200 ms, so a request that got the
 * old one just before a switch may still ask for its address. It is far shorter than a drain, so that no reused address is ever returned.
 */
export const retiredAnswerMs = 400;

export interface RoutedService {
  dialNames: readonly string[];
  port: number;
  /** The addresses of replicas that get HTTP/2 without TLS. Caddy asks for one of them with each request. Absent: HTTP/1.1. */
  h2cAddresses?: readonly string[];
  /** The id of a service that is asleep. Its dial names have no address, so that Caddy holds the requests. */
  asleep?: string;
  /** The time (epoch milliseconds) before which no new try is made after a failed wake. */
  retryAt?: number;
  /** The time (epoch milliseconds) until which requests wait, because its containers are stopped or down for a moment. */
  heldUntil?: number;
}

export interface EdgeAnswers {
  readonly version: number;
  /** Route name (host name or host port name) to the dial names of its replicas, and their port. */
  readonly services: ReadonlyMap<string, RoutedService>;
  readonly addresses: ReadonlyMap<string, string>;
  readonly retired: ReadonlyMap<string, { address: string; until: number }>;
  /** All host names and wildcards of routes. */
  readonly names: ReadonlySet<string>;
  /** Names that may have a certificate. */
  readonly tlsNames: ReadonlySet<string>;
  /** Names that a static site serves. */
  readonly sites: ReadonlySet<string>;
  /** Route names of services that their owners stopped. */
  readonly stopped: ReadonlySet<string>;
  /** The traffic rules of host names that have any. */
  readonly rules: ReadonlyMap<string, TrafficRules>;
}

/** @param now milliseconds of any monotonic clock. */
export function edgeAnswers(state: EdgeState, before: EdgeAnswers | undefined, now: number): EdgeAnswers {
  const services = new Map<string, RoutedService>();
  const addresses = new Map<string, string>();
  const names = new Set<string>();
  const tlsNames = new Set<string>();
  const sites = new Set<string>();
  const stopped = new Set<string>();
  const rules = new Map<string, TrafficRules>();
  for (const {
    serviceId,
    deploymentId,
    hostnames,
    tlsNames: secured = hostnames,
    hostPort,
    target,
    rules: ruled,
  } of state.routes) {
    for (const name of hostnames) names.add(name);
    for (const name of secured) tlsNames.add(name);
    if (ruled) for (const name of hostnames) rules.set(name, ruled);
    if (target.type === 'site') {
      for (const name of hostnames) sites.add(name);
      continue;
    }
    if (target.type === 'stopped') {
      for (const name of hostnames) stopped.add(name);
      if (hostPort) stopped.add(hostPortName(hostPort));
      continue;
    }
    const replicas = upOf(target).map((address) => ({
      address,
      dialName: dialNameOf(deploymentId, address),
    }));
    if (!target.asleep) for (const { address, dialName } of replicas) addresses.set(dialName, address);
    const heldUntil = Math.max(target.heldUntil ?? 0, target.awayUntil ?? 0);
    const service = {
      dialNames: replicas.map(({ dialName }) => dialName),
      port: target.port,
      ...(target.protocol === 'h2c' && !target.asleep
        ? { h2cAddresses: replicas.map(({ address }) => address) }
        : {}),
      ...(target.asleep ? { asleep: serviceId } : {}),
      ...(target.retryAt === undefined ? {} : { retryAt: target.retryAt }),
      ...(heldUntil > 0 ? { heldUntil } : {}),
    };
    for (const name of hostnames) services.set(name, service);
    if (hostPort) services.set(hostPortName(hostPort), service);
  }
  return {
    version: state.version,
    services,
    addresses,
    retired: retire(before, addresses, now),
    names,
    tlsNames,
    sites,
    stopped,
    rules,
  };
}

/** The name by which a route serves this host name: itself, or a wildcard that covers it. A route of exactly the name has precedence. */
export function servedName({ names }: Pick<EdgeAnswers, 'names'>, name: string): string {
  if (names.has(name)) return name;
  const wildcard = wildcardOf(name);
  return names.has(wildcard) ? wildcard : name;
}

/** The address of a dial name; `undefined` makes the proxy look the route up again. */
export function addressOf(answers: EdgeAnswers, dialName: string, now: number): string | undefined {
  const retired = answers.retired.get(dialName);
  return answers.addresses.get(dialName) ?? (retired && retired.until > now ? retired.address : undefined);
}

/** The addresses that get requests: all of them if all are down, because one may be up again before the runner has noticed. */
function upOf({ address, others = [], down = [] }: ContainerTarget): string[] {
  const all = [address, ...others];
  const up = all.filter((one) => !down.includes(one));
  return up.length > 0 ? up : all;
}

/**
 * The dial name of a deployment and address: Caddy pools connections by this name, and must not use them for another deployment on a reused
 * address, or for the same deployment on a new address.
 */
function dialNameOf(deploymentId: string, address: string): string {
  return `${deploymentId}-${address.replaceAll('.', '-')}`;
}

function retire(before: EdgeAnswers | undefined, current: ReadonlyMap<string, string>, now: number) {
  const retired = new Map<string, { address: string; until: number }>();
  if (!before) return retired;
  for (const [name, entry] of before.retired) {
    if (entry.until > now && !current.has(name)) retired.set(name, entry);
  }
  for (const [name, address] of before.addresses) {
    if (!current.has(name)) retired.set(name, { address, until: now + retiredAnswerMs });
  }
  return retired;
}
