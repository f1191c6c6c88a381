import { ApiError } from '../../domain/errors.ts';
import { findOutsideRestore, type Removed } from '../../store/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** @throws ApiError `conflict` while a backup of what should be deleted is being restored into another service, since that restore would fail */
export async function refuseOutsideRestore(
  { db }: Pick<Dependencies, 'db'>,
  removed: Removed,
): Promise<void> {
  const lent = await findOutsideRestore(db, removed);
  if (!lent) return;
  const { backupId, serviceId, targetId } = lent;
  throw new ApiError(
    'conflict',
    `The backup ${backupId} of the service ${serviceId} is being restored into the service ${targetId}: wait until that ends, or abort it with POST /api/services/${serviceId}/database/backups/${backupId}/restore/abort.`,
  );
}
