/** Enrolled hosts: list them for the operator and for tenants, change, revoke. */

import { ApiError } from '../../domain/errors.ts';
import { assertCanBeShared, assertReportsRunc } from '../../domain/hosts/host-sharing.ts';
import { copiedShownMs, wrongClockMs } from '../../domain/hosts/host-warning.ts';
import { noFreePort, placementRefusal } from '../../domain/hosts/placement.ts';
import { selectCopied } from '../../store/hosts/host-event-store.ts';
import { selectUsablePage } from '../../store/hosts/placement-store.ts';
import { markDisconnected } from '../../store/hosts/presence-store.ts';
import { selectWrongClocks } from '../../store/hosts/runner-process-store.ts';
import {
  type RunnerChange,
  type RunnerRow,
  revokeRunner,
  selectRunners,
  selectServiceCount,
  updateRunner,
} from '../../store/hosts/runner-store.ts';
import { selectOtherTenant } from '../../store/projects/tenant-store.ts';
import type { Page } from '../../store/sql/keyset.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordAuditEntry } from '../record-audit-entry.ts';

/** Number of hubs that are asked, so that the list of many hosts is fast; for the others the rows are trusted. */
const asksMax = 40;

/** A host in the operator's view. */
export interface HostView {
  runner: RunnerRow;
  /** Number of services that are on it, or will move to it. */
  services: number;
  connected: boolean;
  /** How far its clock is ahead, in milliseconds; negative if behind. `null` if it is right, or unknown. */
  clockAheadMs: number | null;
  /** Whether two machines recently used this host's key. */
  copied: boolean;
  showsTenant: boolean;
}

/** A page of the enrolled hosts, and whether each is connected now. */
export async function listHosts(
  { db, hubs, now }: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  page: Page,
): Promise<HostView[]> {
  const [runners, others, clocks, copied] = await db.batch([
    selectRunners(db, page),
    selectOtherTenant(db),
    selectWrongClocks(db, wrongClockMs),
    selectCopied(db, now() - copiedShownMs),
  ]);
  const connected = await connectedOf(
    hubs,
    runners.map(({ id, connectedAt }) => ({ id, connected: connectedAt !== null })),
  );
  return runners.map(({ services, ...runner }) => ({
    ...{ runner, services },
    connected: connected.has(runner.id),
    clockAheadMs: clockOf(clocks, runner.id),
    copied: copied.some(({ id }) => id === runner.id),
    showsTenant: others.length > 0,
  }));
}

/** A host in its tenants' view. */
export interface UsableHost {
  id: string;
  name: string;
  createdAt: number;
  connected: boolean;
  /** Why it accepts no new service of the tenant; undefined if it accepts one. */
  refusal: string | undefined;
  /** Number of services that the caller can access and that are on it, or will move to it. */
  services: number;
}

/** A page of the hosts that the caller's tenant may use, from which the host of a new service is chosen. */
export async function listUsableHosts(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  caller: { tenantId: string; tokenId: string },
  page: Page,
): Promise<UsableHost[]> {
  const hosts = await selectUsablePage(db, caller, page);
  const connected = await connectedOf(hubs, hosts);
  return hosts.map((host) => {
    const refusal =
      placementRefusal(host, caller.tenantId) ?? (host.hasFreePort ? undefined : noFreePort(host));
    const { id, name, createdAt, services } = host;
    return { id, name, createdAt, services, connected: connected.has(id), refusal: refusal?.message };
  });
}

/** Ids of the given hosts that are connected now. Hubs are asked, because rows outlive a killed control plane and sockets do not. */
async function connectedOf(
  hubs: Dependencies['hubs'],
  hosts: readonly { id: string; connected: boolean }[],
): Promise<Set<string>> {
  const found = hosts.filter(({ connected }) => connected).map(({ id }) => id);
  const answers = await Promise.all(
    found.map((id, at) => (at < asksMax ? hubs.isConnected(id).catch(() => false) : true)),
  );
  return new Set(found.filter((_, at) => answers[at]));
}

const clockOf = (clocks: Awaited<ReturnType<typeof selectWrongClocks>>, id: string) =>
  clocks.find(({ runnerId }) => runnerId === id)?.clockAheadMs ?? null;

/**
 * Renames, drains or undrains a host, gives it to another tenant, shares it with all, or trusts its runc. An undrained host gets waiting jobs.
 * @param requestId for the audit log
 * @throws ApiError `not_isolated` if it lacks a requirement for sharing; `conflict` if it is revoked, or would serve one tenant but has services of
 *   others; `invalid_request` for an unknown tenant, or a trusted runc that the host does not have
 */
export async function changeHost(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'fingerprint' | 'newId' | 'now' | 'initiator'>,
  before: RunnerRow,
  change: RunnerChange,
  requestId: string,
): Promise<HostView> {
  const { db, hubs } = deps;
  const { id, name } = before;
  if (before.revokedAt !== null)
    throw new ApiError('conflict', 'This host is revoked: it can no longer be changed.');
  const { trustedRunc = before.trustedRunc } = change;
  if (change.trustedRunc) assertReportsRunc(before, change.trustedRunc);
  if (change.shared && !before.shared) assertCanBeShared({ ...before, trustedRunc });
  const runner = await updateRunner(db, id, change).catch((error: unknown) => {
    if (!violates(error, 'FOREIGN KEY')) throw error;
    throw new ApiError('invalid_request', 'The field "tenantId" is not the id of a tenant.');
  });
  if (!runner) {
    throw new ApiError(
      'conflict',
      `Services of other tenants are on ${name}: move or delete them, purge deleted ones (GET /api/system/deleted), and wait until the host has removed their data, before you reserve it for one tenant.`,
    );
  }
  const record = (route: Parameters<typeof recordHostChange>[1]['route']) =>
    recordHostChange(deps, { runnerId: id, route, actor: 'operator', requestId });
  if (runner.trustedRunc !== before.trustedRunc)
    await record(runner.trustedRunc === null ? 'host.runc-untrusted' : 'host.runc-trusted');
  if (runner.shared !== before.shared) await record(runner.shared ? 'host.shared' : 'host.unshared');
  if (change.drained === false) await hubs.wake(id);
  const [others, clocks, [counted], copied] = await db.batch([
    selectOtherTenant(db),
    selectWrongClocks(db, wrongClockMs),
    selectServiceCount(db, id),
    selectCopied(db, deps.now() - copiedShownMs),
  ]);
  return {
    ...{ runner, services: counted?.services ?? 0 },
    ...{ connected: await hubs.isConnected(id), showsTenant: others.length > 0 },
    clockAheadMs: clockOf(clocks, id),
    copied: copied.some((one) => one.id === id),
  };
}

/** Number of services in the error message. */
const namesShown = 10;

/**
 * Revokes a host permanently: its socket is closed and its key is never accepted again.
 * @throws ApiError `conflict` while services run on it
 */
export async function revokeHost(
  { db, hubs, now }: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  runner: { id: string; name: string },
): Promise<void> {
  const at = now();
  const { count, names } = await revokeRunner(db, runner.id, { at, shown: namesShown });
  if (count > 0) {
    const more = count > names.length ? ` and ${count - names.length} more` : '';
    const services = count === 1 ? 'One service runs' : `${count} services run`;
    throw new ApiError(
      'conflict',
      `${services} on ${runner.name} (${names.join(', ')}${more}): delete them, or set another runnerId for each and deploy it. Purge deleted ones (GET /api/system/deleted), then revoke the host.`,
    );
  }
  // The row is written first, so that a hub that can't be reached now refuses the next hello.
  await hubs.revoke(runner.id);
  await markDisconnected(db, runner.id, at);
}

/** Writes a decision about a host's tenants to the audit log as a separate entry, because the entry of the request itself contains no values. */
export function recordHostChange(
  deps: Pick<Dependencies, 'db' | 'fingerprint' | 'newId' | 'now' | 'initiator'>,
  change: {
    runnerId: string;
    route: 'host.shared' | 'host.unshared' | 'host.runc-trusted' | 'host.runc-untrusted';
    actor: string;
    requestId: string;
  },
): Promise<void> {
  const { runnerId, route, actor, requestId } = change;
  return recordAuditEntry(deps, {
    tenantId: null,
    actor,
    actedBy: deps.initiator,
    route,
    resourceId: runnerId,
    status: 200,
    requestId,
    address: '',
  });
}
