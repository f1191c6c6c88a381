/**
 * Scheduled work; cron runs every minute. A part that throws is logged and runs again when it is due, without effect on the others. Work that can
 * wait runs every fifth minute or every hour, in different minutes: the free plan allows 10 ms of processor time and 50 external calls per run.
 */

import { isMigrated, newestMigration } from './store/instance/health-store.ts';
import { deliverOutboxes } from './usecases/alerts/deliver-outboxes.ts';
import { watchHosts, watchQueue, watchStanding } from './usecases/alerts/watch-alerts.ts';
import { sweepBackups, sweepCopies } from './usecases/backups/sweep-backups.ts';
import { startDueCommands } from './usecases/commands/start-due-commands.ts';
import { sweepDeletions } from './usecases/deletions/purge-deletions.ts';
import type { Dependencies } from './usecases/dependencies.ts';
import { sweepChallenges } from './usecases/domains/answer-challenges.ts';
import { sweepProofRecords } from './usecases/domains/sweep-proof-records.ts';
import { sweepVerifications } from './usecases/domains/sweep-verifications.ts';
import { watchSilence } from './usecases/hosts/find-silent-hosts.ts';
import { upgradeHosts } from './usecases/hosts/upgrade-rounds.ts';
import { lookAtImages } from './usecases/image-updates/look-at-images.ts';
import { updateImages } from './usecases/image-updates/update-images.ts';
import { sweepUploads } from './usecases/imports/remove-uploads.ts';
import { pruneHistory } from './usecases/instance/prune-history.ts';
import { pruneRecords } from './usecases/instance/prune-records.ts';
import { recordScheduledRun } from './usecases/instance/read-health.ts';
import { resealWithNewDataKeys } from './usecases/instance/renew-data-keys.ts';
import { rewrapSecrets } from './usecases/instance/rotate-encryption-key.ts';
import { reviveServices } from './usecases/jobs/revive-services.ts';
import { settleMoves } from './usecases/jobs/settle-moves.ts';
import { sweepJobs } from './usecases/jobs/sweep-jobs.ts';
import { sweepLogArchive } from './usecases/logs/log-archive.ts';
import { purgeLogs } from './usecases/logs/purge-logs.ts';
import { dumpNightly } from './usecases/recovery/dump-database.ts';
import { lookAtChecks } from './usecases/sources/look-at-checks.ts';

type Work = (deps: Dependencies) => Promise<unknown>;

interface Scheduled {
  work: Work;
  /** Minutes between two runs. */
  every: number;
  /** The first minute of each period in which the work runs. */
  at: number;
}

const everyMinute = (work: Work): Scheduled => ({ work, every: 1, at: 0 });
const everyFiveMinutes = (at: number, work: Work): Scheduled => ({ work, every: 5, at });
const everyHour = (at: number, work: Work): Scheduled => ({ work, every: 60, at });

/** Keys are the names used in the log and in `/healthz`. */
const schedule: Record<string, Scheduled> = {
  'sweep-jobs': everyMinute(sweepJobs),
  'start-due-commands': everyMinute(startDueCommands),
  'sweep-proofs': everyMinute(sweepVerifications),
  'sweep-backups': everyMinute(sweepBackups),
  'watch-hosts': everyMinute(watchHosts),
  'upgrade-hosts': everyMinute(upgradeHosts),
  'deliver-events': everyMinute(deliverOutboxes),
  'look-at-checks': everyMinute(lookAtChecks),
  'settle-moves': everyMinute(settleMoves),
  'update-images': everyMinute((deps) => Promise.all([lookAtImages(deps), updateImages(deps)])),
  'revive-services': everyMinute(reviveServices),
  'dump-database': everyMinute(dumpNightly),
  'watch-silence': everyFiveMinutes(4, watchSilence),
  'watch-queue': everyFiveMinutes(1, watchQueue),
  'purge-logs': everyFiveMinutes(0, purgeLogs),
  'prune-records': everyFiveMinutes(1, pruneRecords),
  'sweep-deletions': everyFiveMinutes(2, sweepDeletions),
  'sweep-challenges': everyFiveMinutes(2, sweepChallenges),
  'sweep-proof-records': everyFiveMinutes(3, sweepProofRecords),
  'rewrap-secrets': everyFiveMinutes(3, (deps) => rewrapSecrets(deps)),
  'reseal-with-new-data-keys': everyFiveMinutes(4, (deps) => resealWithNewDataKeys(deps)),
  'watch-certificates-and-backups': everyHour(5, watchStanding),
  'sweep-copies': everyHour(10, sweepCopies),
  'prune-history': everyHour(25, pruneHistory),
  'sweep-uploads': everyHour(40, sweepUploads),
  'sweep-log-archive': everyHour(55, sweepLogArchive),
};

/**
 * @param minute minutes since 1970, of the event itself: the time of a late event would skip hourly work
 * @returns the work due in this minute, by name
 */
export const dueWork = (minute: number): Record<string, Work> =>
  Object.fromEntries(
    Object.entries(schedule)
      .filter(([, { every, at }]) => minute % every === at)
      .map(([name, { work }]) => [name, work]),
  );

/** Runs the work that is due, and records the outcome for `/healthz`. Never throws. */
export async function runScheduledWork(deps: Dependencies, works: Record<string, Work>): Promise<void> {
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
  // Also written at the start: a run that exhausts the calls that the platform allows can't write at its end.
  const all = Object.keys(schedule);
  await attempt('record-start', () => recordScheduledRun(deps, startedAt, { failed: [], notRun: all }));
  await Promise.all(Object.entries(works).map(([name, work]) => attempt(name, work)));
  const notRun = all.filter((name) => !(name in works));
  await attempt('record-run', () => recordScheduledRun(deps, startedAt, { failed, notRun }));
}
