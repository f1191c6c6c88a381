/**
 * Where requests go. The one truth of the host's routes: a state file that `edge` answers from and that survives every restart.
 * A switch is one atomic rename of that file (or of a site's link); Caddy's config never changes.
 */
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { ServiceNames } from '../../protocol/service-names.ts';

/** What a service's names and host port lead to. */
export type RouteTarget =
  | { type: 'container'; address: string; port: number }
  /** `directory`: a release under `<data>/sites`; `spa`: unknown paths get index.html. */
  | { type: 'site'; directory: string; spa: boolean };

export interface Route {
  serviceId: string;
  deploymentId: string;
  /** Every name that leads here. */
  hostnames: string[];
  /**
   * Those of them that may have a certificate: the generated name and active custom domains. Absent: all of them (state files
   * of earlier versions hold no others).
   */
  tlsNames?: string[];
  /** 0: none (workers have no route at all). */
  hostPort: number;
  target: RouteTarget;
}

/** The names of one service, as this host was last told. */
export interface KnownNames extends ServiceNames {
  serviceId: string;
}

export interface Traffic {
  /**
   * Moves the service's names to this target: the commit point. Resolves when edge answers with the new one.
   * @param names what the deployment was told of them; of these and what is known the later revision counts, over `route.hostnames` too
   */
  switchTo(route: Route, names?: ServiceNames): Promise<void>;
  /**
   * Has these names lead to where the service's names lead, and no others; without a route they are kept for the next one.
   * A later revision that is known already stays.
   */
  setNames(serviceId: string, names: ServiceNames): Promise<void>;
  /** What is known of the names of all services, with a route or without. */
  names(): KnownNames[];
  /** Calls back after each change of them. */
  onNames(changed: () => void): void;
  /** Takes the service's route away; its names stay known. Unknown services are fine. */
  remove(serviceId: string): Promise<void>;
  /** Takes away all that is known of a service. */
  forget(serviceId: string): Promise<void>;
  /** The route of a service, from the state file. */
  current(serviceId: string): Route | undefined;
  all(): Route[];
  /** A real request through the proxy with this Host header; `ok` when something of ours answered. */
  probe(hostname: string): Promise<ProxyResult>;
  /** Resolves when no connection of the proxy to this address is open, or after `timeoutMs`. Reads the host's TCP table. */
  drained(address: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}
