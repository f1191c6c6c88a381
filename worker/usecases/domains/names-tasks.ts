/** Changes of host names, and the tasks that bring them to the hosts. */
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

/** Maximum wait for a host: its proxy needs up to a second, and an app may take 5 s to answer the probe. */
const taskTimeoutMs = 10_000;

/** Statements that create tasks from the rows after a change; they go at the end of the batch with the change. */
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
 * @param changed names that are added or removed
 * @returns what requests to these names get; `ok: false` with the reason if the host can't say, although the change is written
 * @throws ApiError `conflict` if a name is taken (without revealing by whom) or the service has become a worker
 */
export async function changeNames(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  change: BatchItem<'sqlite'>,
  { serviceId, changed }: { serviceId: string; changed: readonly string[] },
): Promise<ProxyResult> {
  const { db, hubs } = deps;
  try {
    const [, , , [task]] = await db.batch([change, ...namesTasks(deps, oneService(serviceId), changed)]);
    if (!task) throw new ApiError('not_found', 'This service was deleted in the meantime.');
    return await hubs.runTask(task.runnerId, task.id, taskTimeoutMs);
  } catch (error) {
    if (violates(error, 'CHECK', 'services.runtime_mode')) throw workerWithDomains();
    if (!violates(error, 'UNIQUE')) throw error;
    throw new ApiError(
      'conflict',
      'The host name in "hostname" is already used in this instance: choose another one, or remove it there first.',
    );
  }
}
