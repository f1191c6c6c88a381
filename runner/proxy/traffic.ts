/**
 * Where requests go. The state file is the only source of truth for the host's routes: `edge` answers from it and it survives every
 * restart. A switch is one atomic rename of that file (or of a site's link); Caddy's config never changes.
 */
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { ServiceNames } from '../../protocol/service-names.ts';
import type { TrafficRules } from '../../protocol/traffic/traffic-rules.ts';

/** The target of a service's names and host port. */
export type RouteTarget =
  | { type: 'container'; address: string; port: number }
  /** `directory`: a release under `<data>/sites`; `spa`: unknown paths get index.html. */
  | { type: 'site'; directory: string; spa: boolean }
  /** Its owner stopped it. Workers and databases, which have no route otherwise, have this one without names or port. */
  | { type: 'stopped' };

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
  /** What applies to requests to the host names before they reach the target. The host port has no rules. Absent: none. */
  rules?: TrafficRules;
}

/** The names of one service, as the control plane last sent them. */
export interface KnownNames extends ServiceNames {
  serviceId: string;
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
