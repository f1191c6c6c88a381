/** Changes of host names, and the tasks that send them to the hosts. */
import type { SQL } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { ProxyResult } from '../../../protocol/host-task.ts';
import { tooManyDomains, workerWithDomains } from '../../domain/domains/custom-domain.ts';
import { ApiError } from '../../domain/errors.ts';
import { tooManyDomainsColumn } from '../../store/domains/domain-store.ts';
import {
  dropStaleNamesTasks,
  insertNamesTasks,
  oneService,
  raiseRevisions,
} from '../../store/domains/service-names-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

/** Maximum wait for a host: its proxy needs up to a second, and an app may take 5 s to answer the probe. */
const taskTimeoutMs = 10_000;

/** Statements that create tasks from the rows after a change; they must be at the end of the change's batch. */
export function namesTasks(
  { db, newId, now }: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  chosen: SQL,
  changed: readonly string[],
) {
  const at = now();
  return [
    raiseRevisions(db, chosen),
    dropStaleNamesTasks(db, chosen, at),
    insertNamesTasks(db, chosen, { taskId: newId('hostTask'), changed, now: at }),
  ] as const;
}

/**
 * Writes a change of one service's names together with its task, and waits for the host.
 * @param changed names that are added or removed
 * @param guards statements that can make the batch fail, at its end
 * @returns the answer that requests to these names get; `ok: false` with the reason if the host can't tell, although the change is written
 * @throws ApiError as `writeNames`
 */
export async function changeNames(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  change: BatchItem<'sqlite'>,
  {
    serviceId,
    changed,
    guards = [],
  }: { serviceId: string; changed: readonly string[]; guards?: readonly BatchItem<'sqlite'>[] },
): Promise<ProxyResult> {
  const { db, hubs } = deps;
  const [, , , [task]] = await writeNames(() =>
    db.batch([change, ...namesTasks(deps, oneService(serviceId), changed), ...guards]),
  );
  if (!task) throw new ApiError('not_found', 'This service was deleted in the meantime.');
  return await hubs.runTask(task.runnerId, task.id, taskTimeoutMs);
}

/**
 * Runs a write of custom domains.
 * @throws ApiError `conflict` if a name is in use or reserved (without revealing by whom), the service has become a worker, or it has too many names
 */
export async function writeNames<Result>(write: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (violates(error, 'CHECK', 'services.runtime_mode')) throw workerWithDomains();
    if (violates(error, 'NOT NULL', tooManyDomainsColumn)) throw tooManyDomains();
    if (violates(error, 'UNIQUE', 'held_names.hostname')) {
      throw new ApiError(
        'conflict',
        'The host name in "hostname" was used by another tenant until recently, and is reserved for that tenant: choose another one.',
      );
    }
    if (!violates(error, 'UNIQUE')) throw error;
    throw new ApiError(
      'conflict',
      'The host name in "hostname" is already used in this instance: choose another one, or remove it there first.',
    );
  }
}
