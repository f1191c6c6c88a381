import { ApiError } from '../../domain/errors.ts';
import { type RunnerChange, type RunnerRow, updateRunner } from '../../store/runner-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Renames, drains or undrains a host, or gives it to one tenant. Undrained it takes up what has waited.
 * @throws ApiError `conflict` when it is revoked, or services of other tenants live on it; `invalid_request` for an unknown tenant.
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
    throw new ApiError('invalid_request', 'The field "tenantId" names no tenant of this instance.');
  });
  if (!runner) {
    throw new ApiError(
      'conflict',
      `Services of other tenants live on ${name}: move or delete them before the host serves one tenant alone.`,
    );
  }
  if (change.drained === false) await hubs.wake(id);
  return { runner, connected: await hubs.isConnected(id) };
}
