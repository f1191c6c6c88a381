/** Chooses the host of a new service. */
import { ApiError } from './errors.ts';

export interface Host {
  id: string;
  name: string;
  /** The only tenant that it serves; null: all. */
  tenantId: string | null;
  /** Accepts no new services. */
  drained: boolean;
  connected: boolean;
  /** Memory of the host, and the part that its services have reserved. */
  memoryMb: number;
  reservedMb: number;
}

/**
 * A project stays on one host, because its services reach each other over that host's network. For a first service, the tenant's own
 * hosts are preferred over shared ones, then connected hosts, then the host with the largest share of free memory.
 * @param hosts the enrolled hosts that the project's tenant may use
 * @param projectHosts hosts of the project's services, one entry per service
 * @param wanted the host that the request names
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
    'No host can take the service: add one with POST /api/system/runners and enrol it, or set "drained" to false for one.',
  );
}

/** Preferred hosts first; ties keep their order. */
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
    'The field "runnerId" is not the id of an enrolled host: leave it out, or use an id from GET /api/system/runners.',
  );
}

function undrained<Candidate extends Host>(host: Candidate): Candidate {
  if (!host.drained) return host;
  throw new ApiError(
    'conflict',
    `The host "${host.name}" is drained and accepts no new services: set its "drained" to false, or set "runnerId" to another host.`,
  );
}

function mostFrequent(ids: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
