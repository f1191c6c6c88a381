/** The cron work that runs every minute. A part that throws is logged and runs again in the next minute; the others are not affected. */

import { isMigrated, newestMigration } from './store/health-store.ts';
import { sweepBackups } from './usecases/backups/sweep-backups.ts';
import { sweepCopiesHourly } from './usecases/backups/sweep-copies.ts';
import { sweepDeletions } from './usecases/deletions/purge-deletions.ts';
import type { Dependencies } from './usecases/dependencies.ts';
import { sweepProofRecords } from './usecases/domains/sweep-proof-records.ts';
import { sweepVerifications } from './usecases/domains/sweep-verifications.ts';
import { sweepUploadsHourly } from './usecases/imports/remove-uploads.ts';
import { deliverEvents } from './usecases/instance/deliver-events.ts';
import { pruneRecords } from './usecases/instance/prune-records.ts';
import { purgeLogs } from './usecases/instance/purge-logs.ts';
import { recordScheduledRun } from './usecases/instance/read-health.ts';
import { resealWithNewDataKeys } from './usecases/instance/renew-data-keys.ts';
import { rewrapSecrets } from './usecases/instance/rotate-encryption-key.ts';
import { sweepJobs } from './usecases/jobs/sweep-jobs.ts';
import { dumpNightly } from './usecases/recovery/dump-database.ts';

type Work = (deps: Dependencies) => Promise<unknown>;

/** Work by the name used in its failure log line. */
const minuteWork: Record<string, Work> = {
  'sweep-jobs': sweepJobs,
  'purge-logs': purgeLogs,
  'prune-records': pruneRecords,
  'sweep-proofs': sweepVerifications,
  'sweep-proof-records': sweepProofRecords,
  'sweep-backups': sweepBackups,
  'sweep-deletions': sweepDeletions,
  'deliver-events': deliverEvents,
  'sweep-copies': sweepCopiesHourly,
  'sweep-uploads': sweepUploadsHourly,
  'dump-database': dumpNightly,
  'rewrap-secrets': (deps) => rewrapSecrets(deps),
  'reseal-with-new-data-keys': (deps) => resealWithNewDataKeys(deps),
};

/** Runs all scheduled work, and notes the outcome for `/healthz`. Never throws. */
export async function runScheduledWork(deps: Dependencies, works = minuteWork): Promise<void> {
  const startedAt = deps.now();
  if (!(await isMigrated(deps.db).catch(() => true))) {
    return console.error(`The scheduled work waits for the migration ${newestMigration}.`);
  }
  const failed: string[] = [];
  const attempt = async (name: string, work: Work) => {
    try {
      await work(deps);
    } catch (error) {
      failed.push(name);
      console.error(`Scheduled work ${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    }
  };
  // Written first as well: a run that uses up the calls that the platform allows can't write at its end.
  await attempt('record-start', () => recordScheduledRun(deps, startedAt, []));
  await Promise.all(Object.entries(works).map(([name, work]) => attempt(name, work)));
  await attempt('record-run', () => recordScheduledRun(deps, startedAt, failed));
}
