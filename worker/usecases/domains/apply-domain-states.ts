import type { DomainState } from '../../../protocol/domain-state.ts';
import {
  type DomainRow,
  listDomainsOfHost,
  type SeenDomain,
  writeSeenDomains,
} from '../../store/domains/domain-store.ts';
import { servicesOf } from '../../store/domains/service-names-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from './names-tasks.ts';

/**
 * Applies the domain states that a host reports, and writes only changes. If a status changes, the host gets the new names as well,
 * because only active names may have a certificate.
 * @returns whether there are new tasks for the host
 */
export async function applyDomainStates(
  deps: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  runnerId: string,
  states: readonly DomainState[],
): Promise<boolean> {
  const { db, now } = deps;
  const reported = new Map(states.map((state) => [state.hostname, state]));
  const rows = await listDomainsOfHost(db, runnerId, [...reported.keys()]);
  const changes = rows.flatMap((row) => {
    const state = reported.get(row.hostname);
    const seen = state && seenAs(row, state);
    return seen && differs(row, seen) ? [{ row, seen }] : [];
  });
  if (changes.length === 0) return false;
  const write = writeSeenDomains(
    db,
    changes.map(({ seen }) => seen),
    now(),
  );
  const moved = changes.filter(({ row, seen }) => row.status !== seen.status);
  const serviceIds = [...new Set(moved.map(({ row }) => row.serviceId))];
  await db.batch([write, ...(serviceIds.length > 0 ? namesTasks(deps, servicesOf(serviceIds), []) : [])]);
  return serviceIds.length > 0;
}

/** If the name servers fail, the status does not change; the detail is shown only if there was none before. */
function seenAs(row: DomainRow, { dns, detail, certificate }: DomainState): SeenDomain {
  const { id, hostname } = row;
  if (dns === 'unknown') {
    return { id, hostname, status: row.status, dnsDetail: row.dnsDetail ?? detail, certificate };
  }
  return { id, hostname, status: dns === 'here' ? 'active' : 'pending', dnsDetail: detail, certificate };
}

function differs(row: DomainRow, seen: SeenDomain): boolean {
  return (
    row.status !== seen.status ||
    row.dnsDetail !== seen.dnsDetail ||
    JSON.stringify(row.certificate) !== JSON.stringify(seen.certificate)
  );
}
