import { ApiError } from '../../domain/errors.ts';
import { markDisconnected, revokeRunner } from '../../store/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

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
      `${services} on ${runner.name} (${names.join(', ')}${more}): delete them, or set another runnerId for each and deploy it, then revoke the host.`,
    );
  }
  // Row first: a hub that can't be reached now then refuses the next hello.
  await hubs.revoke(runner.id);
  await markDisconnected(db, runner.id, at);
}
