/** Retention, as part of sweep-backups: for a database, and for each volume, also a deleted one. */
import { expendable } from '../../domain/backups/backup-retention.ts';
import type { BackupCheck } from '../../store/backups/backup-check-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteBackup } from './delete-backup.ts';

const removalsPerCheck = 1;

/** Deletes the oldest expired backup. @returns whether others are expired, too */
export async function removeExpired(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>,
  { service, backups }: BackupCheck,
): Promise<boolean> {
  const expired = [...Map.groupBy(backups, ({ volumeId }) => volumeId).values()].flatMap(expendable);
  const outcomes = await Promise.allSettled(
    expired.slice(0, removalsPerCheck).map((backup) => deleteBackup(deps, { backup, service })),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      console.error('An expired backup could not be deleted:', outcome.reason);
  }
  return expired.length > removalsPerCheck;
}
