import { ApiError } from '../../domain/errors.ts';
import { isProtected } from '../../domain/projects/deletions.ts';
import {
  findMoving,
  findOutsideRestore,
  listProtected,
  type Removed,
} from '../../store/deletions/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Throws the reason of a refused deletion; returns if there is none any more.
 * @throws ApiError `protected` for a protected service; `conflict` while a service is being moved to another host, or a backup of a deleted service
 *   is being restored into another service, which would fail
 */
export async function refuseDeletion({ db }: Pick<Dependencies, 'db'>, removed: Removed): Promise<void> {
  const names = await listProtected(db, removed);
  if (names.length > 0) throw isProtected(names);
  const moving = await findMoving(db, removed);
  if (moving) {
    throw new ApiError(
      'conflict',
      `The service "${moving.name}" is moving to another host: wait until its deployment ${moving.deploymentId} ends, or abort it with POST /api/deployments/${moving.deploymentId}/abort.`,
    );
  }
  const restore = await findOutsideRestore(db, removed);
  if (!restore) return;
  const { backupId, serviceId, targetId } = restore;
  throw new ApiError(
    'conflict',
    `The backup ${backupId} of the service ${serviceId} is being restored into the service ${targetId}: wait until that ends, or abort it with POST /api/services/${serviceId}/database/backups/${backupId}/restore/abort.`,
  );
}
