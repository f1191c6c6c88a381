/** Enrolled hosts: list, change, revoke. */

import { ApiError } from '../../domain/errors.ts';
import {
  listRunners,
  markDisconnected,
  type RunnerChange,
  type RunnerRow,
  revokeRunner,
  updateRunner,
} from '../../store/runner-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

/** Hosts that are actually asked; for the others, in large fleets on the free plan's 50 subrequests, the rows are trusted. */
const asksMax = 40;

/** The enrolled hosts, and whether each is connected now. Hubs are asked, because rows outlive a killed control plane and sockets do not. */
export async function listHosts({
  db,
  hubs,
}: Pick<Dependencies, 'db' | 'hubs'>): Promise<{ runner: RunnerRow; connected: boolean }[]> {
  const runners = await listRunners(db);
  const asked = new Set(runners.filter((runner) => runner.connectedAt !== null).slice(0, asksMax));
  return Promise.all(
    runners.map(async (runner) => ({
      runner,
      connected: asked.has(runner)
        ? await hubs.isConnected(runner.id).catch(() => false)
        : runner.connectedAt !== null,
    })),
  );
}

/**
 * Renames, drains or undrains a host, or reserves it for one tenant. An undrained host takes waiting jobs.
 * @throws ApiError `conflict` if it is revoked or runs services of other tenants; `invalid_request` for an unknown tenant
 */
export async function changeHost(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  { id, name, revokedAt }: Pick<RunnerRow, 'id' | 'name' | 'revokedAt'>,
  change: RunnerChange,
): Promise<{ runner: RunnerRow; connected: boolean }> {
  if (revokedAt !== null)
    throw new ApiError('conflict', 'This host is revoked: it can no longer be changed.');
  const runner = await updateRunner(db, id, change).catch((error: unknown) => {
    if (!violates(error, 'FOREIGN KEY')) throw error;
    throw new ApiError('invalid_request', 'The field "tenantId" is not the id of a tenant.');
  });
  if (!runner) {
    throw new ApiError(
      'conflict',
      `Services of other tenants run on ${name}: move or delete them before you reserve the host for one tenant.`,
    );
  }
  if (change.drained === false) await hubs.wake(id);
  return { runner, connected: await hubs.isConnected(id) };
}

/** Services named in the error sentence. */
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
  // Row first: a hub that can't be reached now then refuses the next hello.
  await hubs.revoke(runner.id);
  await markDisconnected(db, runner.id, at);
}
