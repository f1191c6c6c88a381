/**
 * The targets of requests. The state file is the only source of truth for the host's routes: `edge` answers from it and it survives every
 * restart. A switch is one atomic rename of that file (or of a site's link); Caddy's config never changes.
 */
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { SleepHistory } from '../../protocol/observed/observed-service.ts';
import type { ServiceNames } from '../../protocol/service-names.ts';
import type { AccessLogRule, TrafficRules } from '../../protocol/traffic/traffic-rules.ts';

/** The target of a service's names and host port. */
export type RouteTarget =
  | ContainerTarget
  /** `directory`: a release under `<data>/sites`; `spa`: unknown paths get index.html. */
  | { type: 'site'; directory: string; spa: boolean }
  /** The owner stopped the service. Workers and databases, which otherwise have no route, have this one without names or port. */
  | { type: 'stopped' };

/** A container, or several that get requests in turn. */
export interface ContainerTarget {
  type: 'container';
  address: string;
  port: number;
  /** Set if it speaks HTTP/2 without TLS. Absent: HTTP/1.1. */
  protocol?: 'h2c';
  /** Addresses of more replicas. Absent if there is only one. */
  others?: string[];
  /**
   * The addresses that currently get no requests, because their containers do not answer. If all are down, requests wait until `awayUntil`;
   * then all get requests.
   */
  down?: string[];
  /** The time (epoch milliseconds) until which requests wait, because no port of its containers is open: they ended, or Docker has stopped. */
  awayUntil?: number;
  /** Its containers are stopped until the next request. Absent: they are not. */
  asleep?: true;
  /** The time (epoch milliseconds) until which requests get an error: its containers ended when a request was to wake it. Absent: they did not. */
  retryAt?: number;
  /** The time (epoch milliseconds) until which requests wait, because its containers are stopped for a moment. Absent: they are not. */
  heldUntil?: number;
  /** The health check of a replica while it serves. Absent: an open port is enough. */
  health?: ReplicaHealth;
}

export interface ReplicaHealth {
  /** The path that must answer 2xx or 3xx. */
  path: string;
  /** Host header, in place of the name that visitors use. */
  host?: string;
  /** The time limit of the answer. */
  timeoutMs: number;
}

/** The addresses of all replicas, the first one first. */
export const addressesOf = ({ address, others = [] }: ContainerTarget): string[] => [address, ...others];

export interface Route {
  serviceId: string;
  deploymentId: string;
  /** Every name with this target. */
  hostnames: string[];
  /**
   * The host names that may have a certificate: the generated name and active custom domains. Absent means all of them (older state
   * files).
   */
  tlsNames?: string[];
  /** 0 for none. (Workers have no route, except one for a stopped worker.) */
  hostPort: number;
  target: RouteTarget;
  /** The minutes without a request after which its containers stop until the next one. Absent: never. */
  sleepAfterMinutes?: number;
  /** Absent: this version has not slept yet. */
  sleep?: SleepHistory;
  /** Rules for requests to the host names before they reach the target. The host port has no rules. Absent: none. */
  rules?: TrafficRules;
  /** The rule for its requests, or a part of them, in the kept logs. Absent: none are logged. */
  accessLog?: AccessLogRule;
}

/** The names of one service, as last sent by the control plane. */
export interface KnownNames extends ServiceNames {
  serviceId: string;
}

/** The replicas of a version that get no requests. */
export interface DownReplicas {
  serviceId: string;
  deploymentId: string;
  down: readonly string[];
  /** Set if none is left: see `ContainerTarget`. */
  awayUntil?: number;
}

export interface Traffic {
  /**
   * Moves the service's names to this target: the commit point. Resolves when edge answers with the new target.
   * @param names from the deployment; the later revision of these and the stored names applies, and overrides `route.hostnames`
   */
  switchTo(route: Route, names?: ServiceNames): Promise<void>;
  /**
   * Routes exactly these names to the service's target; without a route they are stored for the next one.
   * A stored later revision stays.
   */
  setNames(serviceId: string, names: ServiceNames): Promise<void>;
  /**
   * Sets the replicas of these versions that get no requests; all others get requests. Ignores versions that are not live (any more) and
   * unknown addresses. One change for all versions, because all apps of a host may stop at once.
   */
  setDown(versions: readonly DownReplicas[]): Promise<void>;
  /**
   * Makes requests wait for the containers of this version while `asleepSince` is set, or sends them there again. Ignores versions that are
   * not live (any more).
   * @param retryAt after a failed start: until this time (epoch milliseconds) requests get that answer, and wake nothing
   */
  setAsleep(
    live: { serviceId: string; deploymentId: string },
    sleep: SleepHistory,
    retryAt?: number,
  ): Promise<void>;
  /**
   * Makes requests wait until this time (epoch milliseconds), because the containers of this version stop for a moment; `null` sends them
   * there again. A switch to another version ends it. Ignores versions that are not live (any more) or asleep.
   */
  setHeld(live: { serviceId: string; deploymentId: string }, until: number | null): Promise<void>;
  /** The stored names of all services, with or without a route. */
  names(): KnownNames[];
  /** Calls `changed` after each change of the names. */
  onNames(changed: () => void): void;
  /** Removes the service's route; its names stay stored. Ignores unknown services. */
  remove(serviceId: string): Promise<void>;
  /** Removes all stored data of a service. */
  forget(serviceId: string): Promise<void>;
  /** The service's route in the state file. */
  current(serviceId: string): Route | undefined;
  all(): Route[];
  /** Sends a real request with this Host header through the proxy; `ok` when the answer is the expected one. */
  probe(hostname: string): Promise<ProxyResult>;
  /** Resolves when the proxy has no open connection to this address, or after `timeoutMs`. Reads the host's TCP table. */
  drained(address: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}
