/** Chooses the host of a new service. */
import { ApiError } from '../errors.ts';
import { defaultTenantId } from '../tenants/tenant-limits.ts';
import { refusalOf, type SharedPlace } from './host-sharing.ts';

export interface Host extends SharedPlace {
  id: string;
  /** The host accepts no new services. */
  drained: boolean;
  connected: boolean;
  /** Memory of the host, and the part that is reserved for its services. */
  memoryMb: number;
  reservedMb: number;
  /** Whether it has services of other tenants, including deleted ones while they can be restored. */
  isSharedWithOthers: boolean;
}

/**
 * A project stays on one host, because its services reach each other over that host's network. For a first service, the tenant's own
 * hosts are preferred over shared ones, then connected hosts, then the host with the largest share of free memory.
 * @param hosts the tenant's own hosts and the shared ones
 * @param request.projectHosts hosts of the project's services, one entry per service
 * @param request.wanted the host in the request
 * @throws ApiError `invalid_request`, `conflict`, `not_isolated` or `no_runner`.
 */
export function placeService<Candidate extends Host>(
  hosts: readonly Candidate[],
  request: { tenantId: string; projectHosts: readonly string[]; wanted: string | undefined },
): Candidate {
  const { tenantId, projectHosts, wanted } = request;
  if (wanted !== undefined) return namedHost(hosts, tenantId, wanted);
  const home = hosts.find(({ id }) => id === mostFrequent(projectHosts));
  if (home) return usable(home, tenantId);
  const open = hosts.filter(({ drained }) => !drained);
  const isolated = open.filter((host) => refusalOf(host, tenantId, host.isSharedWithOthers) === null);
  const [best] = isolated.sort(byPreference(tenantId));
  if (best) return best;
  if (open[0]) return usable(open[0], tenantId);
  throw new ApiError('no_runner', noHost(tenantId));
}

const noHost = (tenantId: string) =>
  tenantId === defaultTenantId
    ? 'No host can take the service: add one with POST /api/system/runners and enrol it, or set "drained" to false for one.'
    : `No host can take services of this tenant (${tenantId}): the operator can enrol one for it (POST /api/system/runners with this "tenantId"), share one (PATCH /api/system/runners/<runner id> with "shared": true), or set "drained" to false for one.`;

/** Preferred hosts first; ties keep their order. */
function byPreference(tenantId: string) {
  return (a: Host, b: Host): number =>
    Number(b.tenantId === tenantId) - Number(a.tenantId === tenantId) ||
    Number(b.connected) - Number(a.connected) ||
    a.reservedMb / a.memoryMb - b.reservedMb / b.memoryMb;
}

/** Finds the host that a request specifies. @throws ApiError `invalid_request`, `conflict`, `not_isolated`. */
export function namedHost<Candidate extends Host>(
  hosts: readonly Candidate[],
  tenantId: string,
  wanted: string,
): Candidate {
  const host = hosts.find(({ id }) => id === wanted);
  if (host) return usable(host, tenantId);
  throw new ApiError(
    'invalid_request',
    'The field "runnerId" is not the id of an enrolled host. GET /api/hosts lists those that you can use; a new service without the field gets a host by itself.',
  );
}

function usable<Candidate extends Host>(host: Candidate, tenantId: string): Candidate {
  const refusal = placementRefusal(host, tenantId);
  if (refusal) throw refusal;
  return host;
}

/** Why the host accepts no new service of the tenant; undefined if it accepts one, as long as it has a free port. */
export function placementRefusal(
  host: SharedPlace & Pick<Host, 'drained' | 'isSharedWithOthers'>,
  tenantId: string,
): ApiError | undefined {
  if (host.drained) {
    return new ApiError(
      'conflict',
      `The host "${host.name}" is drained and accepts no new services: set its "drained" to false, or set "runnerId" to another host.`,
    );
  }
  const refusal = refusalOf(host, tenantId, host.isSharedWithOthers);
  return refusal === null ? undefined : new ApiError('not_isolated', refusal);
}

export const noFreePort = ({ name }: Pick<Host, 'name'>) =>
  new ApiError('conflict', `The host "${name}" has no free port left: set "runnerId" to another host.`);

function mostFrequent(ids: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
