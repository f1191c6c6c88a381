import { ApiError } from '../../domain/errors.ts';
import { type RunnerChange, type RunnerRow, updateRunner } from '../../store/runner-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

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
