/** A change of host names, told to the hosts that serve them. */
import type { SQL } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { ProxyResult } from '../../../protocol/host-task.ts';
import { workerWithDomains } from '../../domain/custom-domain.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  dropStaleNamesTasks,
  insertNamesTasks,
  oneService,
  raiseRevisions,
} from '../../store/service-names-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long an answer waits for a host: it tells its proxy within a second, and an app may take 5 s to answer the probe. */
const taskTimeoutMs = 10_000;

/** What makes tasks of the rows as they are after the change; goes to the end of the batch that changes them. */
export function namesTasks(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  chosen: SQL,
  changed: readonly string[],
) {
  const at = now();
  return [
    raiseRevisions(db, chosen),
    dropStaleNamesTasks(db, chosen, at),
    insertNamesTasks(db, chosen, changed, at),
  ] as const;
}

/**
 * Writes a change of one service's names together with its task, and waits for the host.
 * @param changed names that come or go
 * @returns what requests by these names get; `ok: false` with the reason when the host can't say: the change is written all the same.
 * @throws ApiError `conflict` when a name is taken, without a word about by whom, or the service has become a worker.
 */
export async function changeNames(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  change: BatchItem<'sqlite'>,
  { serviceId, changed }: { serviceId: string; changed: readonly string[] },
): Promise<ProxyResult> {
  const { db, hubs } = deps;
  try {
    const [, , , [task]] = await db.batch([change, ...namesTasks(deps, oneService(serviceId), changed)]);
    if (!task) throw new ApiError('not_found', 'This service was deleted meanwhile.');
    return await hubs.runTask(task.runnerId, task.id, taskTimeoutMs);
  } catch (error) {
    if (violates(error, 'CHECK', 'services.runtime_mode')) throw workerWithDomains();
    if (!violates(error, 'UNIQUE')) throw error;
    throw new ApiError(
      'conflict',
      'The host name in "hostname" is taken in this instance: choose another one, or remove it where it is first.',
    );
  }
}
