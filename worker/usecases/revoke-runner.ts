import { ApiError } from '../domain/errors.ts';
import { countServicesOf, markDisconnected, revokeRunner } from '../store/runner-store.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Takes a host out for good: its socket is closed and its key never accepted again.
 * @throws ApiError `conflict` while services live on it.
 */
export async function revokeHost(
  { db, hubs, now }: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  runner: { id: string; name: string },
): Promise<void> {
  const at = now();
  if (!(await revokeRunner(db, runner.id, at))) {
    const count = await countServicesOf(db, runner.id);
    throw new ApiError(
      'conflict',
      `${count} service(s) live on ${runner.name}: delete them, or give each another runnerId and deploy it, then revoke the host.`,
    );
  }
  // Row first: a hub that can't be reached now lets nobody in any more, and is told by the next hello.
  await hubs.revoke(runner.id);
  await markDisconnected(db, runner.id, at);
}
