/** Deletions of backups. A deletion, restores and drills of one backup exclude each other: each begins in one statement that looks for the others. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { NewHostTask } from './removal-store.ts';
import { backups } from './schema/backups.ts';

/** What `backups` is in the statement is not running, and neither being restored nor tried out. */
const isIdle = sql`${backups.status} <> 'running'
  and not exists (select 1 from restores open where open.backup_id = backups.id and open.status = 'running')
  and not exists (select 1 from drills open where open.backup_id = backups.id and open.status = 'running')`;

/** A condition: the backup is there, and no deletion has it. */
export const isKept = (
  backupId: string,
  at: number,
) => sql`exists (select 1 from backups kept where kept.id = ${backupId}
  and (kept.removing_until is null or kept.removing_until <= ${at}))`;

/** One deletion's hold on a backup. */
export interface BackupClaim {
  backupId: string;
  until: number;
}

/** Keeps everything else off a backup that is to be deleted. @returns false when it is in use, being deleted, or gone: nothing was written */
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

/** After a deletion that failed: the backup is as it was before. */
export async function releaseBackup(db: Database, claim: BackupClaim): Promise<void> {
  await db.update(backups).set({ removingUntil: null }).where(isClaimed(claim));
}

/**
 * Deletes the row of a claimed backup and leaves its host the work of removing its copy there.
 * @returns false when the claim has passed, or the row is gone: nothing was written.
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
