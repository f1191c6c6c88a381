/**
 * Where requests go. The state file is the only source of truth for the host's routes: `edge` answers from it and it survives every
 * restart. A switch is one atomic rename of that file (or of a site's link); Caddy's config never changes.
 */
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { SleepHistory } from '../../protocol/observed/sleep-history.ts';
import type { ServiceNames } from '../../protocol/service-names.ts';
import type { AccessLogRule, TrafficRules } from '../../protocol/traffic/traffic-rules.ts';

/** The target of a service's names and host port. */
export type RouteTarget =
  | ContainerTarget
  /** `directory`: a release under `<data>/sites`; `spa`: unknown paths get index.html. */
  | { type: 'site'; directory: string; spa: boolean }
  /** Its owner stopped it. Workers and databases, which have no route otherwise, have this one without names or port. */
  | { type: 'stopped' };

/** A container, or several that get the requests in turn. */
export interface ContainerTarget {
  type: 'container';
  address: string;
  port: number;
  /** Addresses of more replicas. Absent: there is one. */
  others?: string[];
  /**
   * Those of the addresses that get no requests now, because their containers do not answer. If all are down, requests wait until
   * `awayUntil`; then all get requests.
   */
  down?: string[];
  /** Requests wait until this time (epoch milliseconds), because no port of its containers is open: they ended, or Docker has stopped. */
  awayUntil?: number;
  /** Its containers are stopped until somebody asks. Absent: no. */
  asleep?: true;
  /** Its containers ended when a request was to wake it: until this time (epoch milliseconds) requests get that answer. Absent: they did not. */
  retryAt?: number;
  /** Requests wait until this time (epoch milliseconds), because its containers are stopped for a moment. Absent: no. */
  heldUntil?: number;
  /** What a replica is asked while it serves. Absent: an open port is enough. */
  health?: ReplicaHealth;
}

export interface ReplicaHealth {
  /** The path that must answer 2xx or 3xx. */
  path: string;
  /** Within this time. */
  timeoutMs: number;
}

/** The addresses of all replicas, the first one first. */
export const addressesOf = ({ address, others = [] }: ContainerTarget): string[] => [address, ...others];

export interface Route {
  serviceId: string;
  deploymentId: string;
  /** Every name that leads here. */
  hostnames: string[];
  /**
   * The host names that may have a certificate: the generated name and active custom domains. Absent means all of them (older state
   * files).
   */
  tlsNames?: string[];
  /** 0: none. (Workers have no route, except one that says that they are stopped.) */
  hostPort: number;
  target: RouteTarget;
  /** After so many minutes without a request its containers stop until the next one. Absent: never. */
  sleepAfterMinutes?: number;
  /** Absent: this version has not slept yet. */
  sleep?: SleepHistory;
  /** What applies to requests to the host names before they reach the target. The host port has no rules. Absent: none. */
  rules?: TrafficRules;
  /** Its requests, or a part of them, are lines of the kept logs. Absent: none are. */
  accessLog?: AccessLogRule;
}

/** The names of one service, as the control plane last sent them. */
export interface KnownNames extends ServiceNames {
  serviceId: string;
}

/** Which replicas of a version get no requests. */
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
   * Takes replicas of these versions out of the traffic, or back into it; all others get requests. Ignores versions that are not live (any
   * more) and addresses that they do not have. All in one change, because all apps of a host may stop at once.
   */
  setDown(versions: readonly DownReplicas[]): Promise<void>;
  /**
   * Makes requests wait for the containers of this version while `asleepSince` is set, or go to them again. Ignores versions that are not
   * live (any more).
   * @param retryAt it failed to start: until this time (epoch milliseconds) requests are answered so, and wake nothing
   */
  setAsleep(
    live: { serviceId: string; deploymentId: string },
    sleep: SleepHistory,
    retryAt?: number,
  ): Promise<void>;
  /**
   * Makes requests wait until this time (epoch milliseconds), because the containers of this version stop for a moment; null: they go to it
   * again. A switch to another version ends it. Ignores versions that are not live (any more) or asleep.
   */
  setHeld(live: { serviceId: string; deploymentId: string }, until: number | null): Promise<void>;
  /** The stored names of all services, with or without a route. */
  names(): KnownNames[];
  /** Calls `changed` after each change of the names. */
  onNames(changed: () => void): void;
  /** Removes the service's route; its names stay stored. Ignores unknown services. */
  remove(serviceId: string): Promise<void>;
  /** Removes everything stored for a service. */
  forget(serviceId: string): Promise<void>;
  /** The service's route in the state file. */
  current(serviceId: string): Route | undefined;
  all(): Route[];
  /** Sends a real request with this Host header through the proxy; `ok` when the answer is the expected one. */
  probe(hostname: string): Promise<ProxyResult>;
  /** Resolves when the proxy has no open connection to this address, or after `timeoutMs`. Reads the host's TCP table. */
  drained(address: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}
