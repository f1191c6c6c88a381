/** Deletions of backups. Deletion, restores and drills of a backup exclude each other: each starts with a statement that checks for the others. */
import { and, eq, sql } from 'drizzle-orm';
import { keepRows, type NewDeletion } from '../deletions/deletion-store.ts';
import type { NewHostTask } from '../deletions/removal-store.ts';
import { backups } from '../schema/backups.ts';
import type { Database } from '../sql/database.ts';

/** Condition on `backups`: the backup is not running, being restored or being tested. */
const isIdle = sql`${backups.status} <> 'running'
  and not exists (select 1 from restores open where open.backup_id = backups.id and open.status = 'running')
  and not exists (select 1 from drills open where open.backup_id = backups.id and open.status = 'running')`;

/** Condition: the backup exists, and no deletion has claimed it. */
export const isKept = (
  backupId: string,
  at: number,
) => sql`exists (select 1 from backups kept where kept.id = ${backupId}
  and (kept.removing_until is null or kept.removing_until <= ${at}))`;

/** A deletion's claim on a backup. */
export interface BackupClaim {
  backupId: string;
  until: number;
}

/** Claims a backup for deletion. @returns false if it is in use, already claimed, or no longer exists; nothing was written then */
export async function claimBackup(
  db: Database,
  { backupId, until }: BackupClaim,
  at: number,
): Promise<boolean> {
  const claimed = await db
    .update(backups)
    .set({ removingUntil: until })
    .where(and(eq(backups.id, backupId), isIdle, isKept(backupId, at)))
    .returning({ id: backups.id });
  return claimed.length > 0;
}

/** Releases the claim after a failed deletion: the backup is usable again. */
export async function releaseBackup(db: Database, claim: BackupClaim): Promise<void> {
  await db.update(backups).set({ removingUntil: null }).where(isClaimed(claim));
}

/**
 * Statements that delete a claimed backup after its rows were stored for a restore. The claim ends first, so that the stored row has
 * none; `insertDeletion` has checked it in the same batch.
 */
export function keepBackup(db: Database, deletion: NewDeletion, backupId: string) {
  return [
    db.update(backups).set({ removingUntil: null }).where(eq(backups.id, backupId)),
    ...keepRows(db, deletion),
    db.delete(backups).where(eq(backups.id, backupId)),
  ] as const;
}

/**
 * Deletes the row of a claimed backup and creates the host's task to delete the copy there.
 * @returns false if the claim has expired or the row no longer exists; nothing was written then
 */
export async function removeBackup(
  db: Database,
  claim: BackupClaim,
  { id, runnerId, task }: NewHostTask,
  at: number,
): Promise<boolean> {
  const claimed = sql`${isClaimed(claim)} and ${isIdle}`;
  const [, gone] = await db.batch([
    db.run(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
      select ${id}, ${runnerId}, ${JSON.stringify(task)}, 'pending', ${at}, ${at} from backups where ${claimed}`),
    db.delete(backups).where(claimed).returning({ id: backups.id }),
  ]);
  return gone.length > 0;
}

const isClaimed = ({ backupId, until }: BackupClaim) =>
  and(eq(backups.id, backupId), eq(backups.removingUntil, until));
