/**
 * Where requests go. The one truth of the host's routes: a state file that `edge` answers from and that survives every restart.
 * A switch is one atomic rename of that file (or of a site's link); Caddy's config never changes.
 */
import type { ProxyResult } from '../../protocol/host-task.ts';

/** What a service's names and host port lead to. */
export type RouteTarget =
  | { type: 'container'; address: string; port: number }
  /** `directory`: a release under `<data>/sites`; `spa`: unknown paths get index.html. */
  | { type: 'site'; directory: string; spa: boolean };

export interface Route {
  serviceId: string;
  deploymentId: string;
  hostnames: string[];
  /** 0: none (workers have no route at all). */
  hostPort: number;
  target: RouteTarget;
}

export interface Traffic {
  /** Moves the service's names to this target: the commit point. Resolves when edge answers with the new one. */
  switchTo(route: Route): Promise<void>;
  /** Takes the service's names away; unknown services are fine. */
  remove(serviceId: string): Promise<void>;
  /** The route of a service, from the state file. */
  current(serviceId: string): Route | undefined;
  all(): Route[];
  /** A real request through the proxy with this Host header; `ok` when something of ours answered. */
  probe(hostname: string): Promise<ProxyResult>;
  /** Resolves when no connection of the proxy to this address is open, or after `timeoutMs`. Reads the host's TCP table. */
  drained(address: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}
