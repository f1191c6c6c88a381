import { isProtected } from '../../domain/projects/deletions.ts';
import { claimBackup, keepBackup, releaseBackup } from '../../store/backups/backup-removal-store.ts';
import { insertDeletion } from '../../store/deletions/deletion-store.ts';
import { listProtected } from '../../store/deletions/removal-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { refuseOverKept } from '../deletions/refuse-kept.ts';
import { newDeletion, settleDeletion } from '../deletions/settle-deletion.ts';
import type { Dependencies } from '../dependencies.ts';
import { isInUse, removalMs } from './delete-backup.ts';

/**
 * Deletes a backup at a user's request. Its copies are stored for a restore, and removed when that time is over.
 * @throws ApiError `protected` if its service is protected; `quota_exceeded` if the tenant has too many stored deletions; `conflict` while the backup
 * runs or is being restored, tested or deleted
 */
export async function keepDeletedBackup(
  deps: Dependencies,
  { backup, service }: { backup: { id: string }; service: { id: string; projectId: string } },
): Promise<void> {
  const { db } = deps;
  const deleted = { backupId: backup.id, claimedUntil: deps.now() + removalMs };
  const deletion = newDeletion(deps, await selectSettings(db), { deleted, resourceId: backup.id });
  await refuseProtected(deps, service);
  const claim = { backupId: backup.id, until: deleted.claimedUntil };
  if (!(await claimBackup(db, claim, deletion.at))) throw isInUse();
  try {
    const [[kept]] = await db.batch([insertDeletion(db, deletion), ...keepBackup(db, deletion, backup.id)]);
    await settleDeletion(deps, deletion, kept);
    return;
  } catch (error) {
    // No deletion was written to store the rows: the service has been protected since, or the claim expired.
    await releaseBackup(db, claim).catch(() => {});
    await refuseOverKept(deps, error, service.projectId);
    if (!violates(error, 'FOREIGN KEY')) throw error;
  }
  await refuseProtected(deps, service);
  throw isInUse();
}

async function refuseProtected({ db }: Pick<Dependencies, 'db'>, service: { id: string }): Promise<void> {
  const names = await listProtected(db, { serviceId: service.id });
  if (names.length > 0) throw isProtected(names);
}
