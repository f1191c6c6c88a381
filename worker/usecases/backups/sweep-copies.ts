import { remoteKeyOf } from '../../domain/backups/backup-format.ts';
import { listFailedCopies, listPurgedDatabases } from '../../store/backups/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

/** Longer than any outage of the cron, so that each failed backup is checked several times. */
const failedSinceMs = 24 * 3_600_000;
/** Objects that one call to the bucket can delete. */
const copiesPerRun = 1_000;
/** The longest job deadline is six hours, so an upload from the day before is abandoned. */
const forgottenAfterMs = 24 * 3_600_000;
/** The free plan allows 50 external calls per run; a database needs two of them if the bucket is not R2. */
const databasesPerRun = 10;

/**
 * Deletes objects that are no longer reachable: copies of backups that failed after their upload, and all copies of databases that were
 * deleted (a day later, together with their data volumes). Only objects named by rows are deleted; unknown ones stay. Abandoned uploads
 * are aborted.
 */
export async function sweepCopies({ db, blobs, now }: Needs): Promise<void> {
  const failed = await listFailedCopies(db, now() - failedSinceMs, copiesPerRun);
  if (failed.length > 0) await blobs.remove(failed.map(remoteKeyOf));
  for (const serviceId of await listPurgedDatabases(db, now(), databasesPerRun)) {
    await blobs.removeBelow(`backups/${serviceId}/`);
  }
  await blobs.abortStaleUploads('backups/svc_', now() - forgottenAfterMs);
}
