/** The changes of a restore, because something else has taken a slug, port or host name since the deletion. */
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { ApiError } from '../errors.ts';
import { generatedHostname } from '../names/host-names.ts';
import type { ServiceKind } from '../services/service-kind.ts';
import { freeSlug } from '../values/slug.ts';
import { freePort, type RestoreChange } from './deletions.ts';

/** A deleted service, by the names of its columns. */
export interface KeptService {
  id: string;
  kind: ServiceKind;
  name: string;
  slug: string;
  runner_id: string;
  host_port: number;
  generated_hostname?: string;
  database_public_hostname?: string;
  memory_limit_mb?: number;
  /** Absent in deletions from the time before replicas existed. */
  replicas?: number;
}

export interface KeptDomain {
  id: string;
  service_id: string;
  hostname: string;
}

/** Values that other resources have now. */
export interface Taken {
  /** Slugs in the project. */
  slugs: ReadonlySet<string>;
  /** Ports, by host. */
  ports: ReadonlyMap<string, ReadonlySet<number>>;
  hostnames: ReadonlySet<string>;
}

export interface RestorePlan {
  changes: RestoreChange[];
  /** New values of columns, by service. */
  columns: Map<string, Record<string, string | number>>;
  /** Ids of domains that are left out. */
  lostDomains: string[];
}

type Hosts = ReadonlyMap<string, { name: string; facts: Pick<RunnerFacts, 'webPorts' | 'databasePorts'> }>;

/**
 * @param hosts hosts that the tenant may use
 * @throws ApiError `conflict` if a service's host is not among them or has no free port
 */
export function planRestore(
  { services, domains }: { services: readonly KeptService[]; domains: readonly KeptDomain[] },
  taken: Taken,
  { hosts, rootDomain, projectSlug }: { hosts: Hosts; rootDomain: string | null; projectSlug: string },
): RestorePlan {
  const plan: RestorePlan = { changes: [], columns: new Map(), lostDomains: [] };
  const slugs = new Set(taken.slugs);
  const hostnames = new Set(taken.hostnames);
  const ports = new Map([...taken.ports].map(([id, used]) => [id, new Set(used)]));
  for (const service of services) {
    const change = (
      field: RestoreChange['field'],
      column: string,
      before: string | number,
      after: string | number,
    ) => {
      if (before === after) return;
      plan.changes.push({ serviceId: service.id, field, before: String(before), after: String(after) });
      plan.columns.set(service.id, { ...plan.columns.get(service.id), [column]: after });
    };
    const slug = freeSlug(service.slug, slugs);
    slugs.add(slug);
    change('slug', 'slug', service.slug, slug);
    change('hostPort', 'host_port', service.host_port, portOf(service, hosts, ports));
    for (const [field, column] of hostnameColumns) {
      const before = service[column];
      if (before === undefined) continue;
      const after = hostnames.has(before)
        ? generatedHostname({ slug, projectSlug }, rootDomain, hostnames)
        : before;
      hostnames.add(after);
      change(field, column, before, after);
    }
  }
  for (const { id, service_id: serviceId, hostname } of domains) {
    if (!hostnames.has(hostname)) continue;
    plan.changes.push({ serviceId, field: 'domain', before: hostname, after: null });
    plan.lostDomains.push(id);
  }
  return plan;
}

const hostnameColumns = [
  ['generatedHostname', 'generated_hostname'],
  ['databasePublicHostname', 'database_public_hostname'],
] as const;

function portOf(service: KeptService, hosts: Hosts, ports: Map<string, Set<number>>): number {
  const host = hosts.get(service.runner_id);
  if (!host) {
    throw new ApiError(
      'conflict',
      `The host of "${service.name}" was revoked or is reserved for another tenant: the operator has to change that first.`,
    );
  }
  const used = ports.get(service.runner_id) ?? new Set();
  ports.set(service.runner_id, used);
  const block = service.kind === 'database' ? host.facts.databasePorts : host.facts.webPorts;
  const port = used.has(service.host_port) ? freePort(block, used) : service.host_port;
  if (port === undefined) {
    throw new ApiError(
      'conflict',
      `The host "${host.name}" has no free port left for "${service.name}": delete another service on it first.`,
    );
  }
  used.add(port);
  return port;
}
