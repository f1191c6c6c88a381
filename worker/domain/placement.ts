/** Which host takes a new service. */
import { ApiError } from './errors.ts';

export interface Host {
  id: string;
  name: string;
  /** The tenant it serves alone; null: all. */
  tenantId: string | null;
  /** Takes no new services. */
  drained: boolean;
  connected: boolean;
  /** Memory of the host, and what its services may take of it. */
  memoryMb: number;
  reservedMb: number;
}

/**
 * A project stays on one host, because its services reach each other over that host's network. A first service goes to a host of the
 * tenant's own before a shared one, to a connected one before one that is away, and then to where the largest part of memory is free.
 * @param hosts the enrolled hosts that the project's tenant may use.
 * @param projectHosts hosts of the project's services, one entry a service.
 * @param wanted the host that the request names.
 * @throws ApiError `invalid_request`, `conflict` or `no_runner`.
 */
export function placeService<Candidate extends Host>(
  hosts: readonly Candidate[],
  projectHosts: readonly string[],
  wanted: string | undefined,
): Candidate {
  if (wanted !== undefined) return namedHost(hosts, wanted);
  const home = hosts.find(({ id }) => id === mostFrequent(projectHosts));
  if (home) return undrained(home);
  const [best] = hosts.filter(({ drained }) => !drained).sort(byPreference);
  if (best) return best;
  throw new ApiError(
    'no_runner',
    'No host is there that could take the service: add one with POST /api/system/runners and enrol it, or end a drain.',
  );
}

/** Better ones first; of equals the one that was there first. */
function byPreference(a: Host, b: Host): number {
  return (
    Number(b.tenantId !== null) - Number(a.tenantId !== null) ||
    Number(b.connected) - Number(a.connected) ||
    a.reservedMb / a.memoryMb - b.reservedMb / b.memoryMb
  );
}

/** The host that a request names. @throws ApiError `invalid_request`, `conflict`. */
export function namedHost<Candidate extends Host>(hosts: readonly Candidate[], wanted: string): Candidate {
  const host = hosts.find(({ id }) => id === wanted);
  if (host) return undrained(host);
  throw new ApiError(
    'invalid_request',
    'The field "runnerId" names no enrolled host: leave it out, or take an id of GET /api/system/runners.',
  );
}

function undrained<Candidate extends Host>(host: Candidate): Candidate {
  if (!host.drained) return host;
  throw new ApiError(
    'conflict',
    `The host "${host.name}" is drained and takes no new services: end the drain, or name another host in "runnerId".`,
  );
}

function mostFrequent(ids: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
