import { remoteKeyOf } from '../../domain/backup-format.ts';
import { minuteOf } from '../../domain/minute-counts.ts';
import { listFailedCopies, listPurgedDatabases } from '../../store/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

const hourMinutes = 60;
/** Longer than the cron is ever away for: each failed backup is looked at several times. */
const failedSinceMs = 24 * 3_600_000;
/** What one call to the bucket removes. */
const copiesPerRun = 1_000;
/** No job works for longer than six hours (protocol: its deadline), so nobody comes back to an upload of the day before. */
const forgottenAfterMs = 24 * 3_600_000;
/** The free plan allows 50 subrequests a run; a database takes two of them. */
const databasesPerRun = 10;

/** The hour's sweep of the bucket; does nothing in other minutes. */
export async function sweepCopiesHourly(deps: Needs): Promise<void> {
  if (minuteOf(deps.now()) % hourMinutes === 0) await sweepCopies(deps);
}

/**
 * Removes from the bucket what nobody can reach any more: copies of backups that failed after they were uploaded, and all copies of
 * databases that were deleted, together with their data volumes a day later. Only what rows name goes; what is unknown stays.
 * Uploads that nobody completed are taken back.
 */
export async function sweepCopies({ db, blobs, now }: Needs): Promise<void> {
  const failed = await listFailedCopies(db, now() - failedSinceMs, copiesPerRun);
  if (failed.length > 0) await blobs.remove(failed.map(remoteKeyOf));
  for (const serviceId of await listPurgedDatabases(db, now(), databasesPerRun)) {
    await blobs.removeBelow(`backups/${serviceId}/`);
  }
  await blobs.abortForgotten('backups/svc_', now() - forgottenAfterMs);
}
