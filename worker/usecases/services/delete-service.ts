import type { ProxyResult } from '../../../protocol/host-task.ts';
import { insertDeletion, keepRows } from '../../store/deletions/deletion-store.ts';
import {
  assertMayDelete,
  insertHostTasks,
  selectRemovedServices,
} from '../../store/deletions/removal-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { deleteService as deleteRow } from '../../store/services/service-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { refuseOverKept } from '../deletions/refuse-kept.ts';
import { type DeletionOptions, newDeletion, settleDeletion } from '../deletions/settle-deletion.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeFromHosts } from '../hosts/remove-from-hosts.ts';
import { refuseDeletion } from './refuse-deletion.ts';
import { removalTasks } from './removal-tasks.ts';

/**
 * Deletes a service: it stops at once, and all its parts are stored for a restore. A running deployment or data job is stopped on its host.
 * @throws ApiError `protected`; `quota_exceeded` if the tenant has too many stored deletions; `conflict` while one of its backups is being restored
 * into another service
 */
export async function deleteService(
  deps: Dependencies,
  serviceId: string,
  options: DeletionOptions = {},
): Promise<ProxyResult> {
  const { db } = deps;
  const [rows, settings] = await db.batch([selectRemovedServices(db, { serviceId }), selectSettings(db)]);
  const tasks = removalTasks(rows, deps.newId);
  const deletion = newDeletion(deps, settings, {
    ...{ deleted: { serviceId }, resourceId: serviceId },
    ...options,
  });
  try {
    const [, [kept]] = await db.batch([
      assertMayDelete(db, { serviceId }),
      insertDeletion(db, deletion),
      insertHostTasks(db, tasks, deletion.at),
      ...keepRows(db, deletion),
      deleteRow(db, serviceId),
    ]);
    const { ok, detail } = await removeFromHosts(deps, tasks);
    return { ok, detail: `${detail} ${await settleDeletion(deps, deletion, kept)}` };
  } catch (error) {
    await refuseOverKept(deps, error, rows[0]?.projectId ?? '');
    if (!violates(error, 'NOT NULL', 'services.name')) throw error;
  }
  await refuseDeletion(deps, { serviceId });
  // The reason for the refusal no longer exists: try again.
  return deleteService(deps, serviceId, options);
}
