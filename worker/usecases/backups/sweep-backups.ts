/**
 * The automatic backups. Cron checks each database and each service with volumes that has a schedule about once a night, and again soon
 * while work is pending. A check starts due backups, reports missed ones, deletes expired ones, and handles restore drills. It depends
 * only on rows, so a missed minute or an outage of days only delays it.
 */
import { remoteKeyOf } from '../../domain/backups/backup-format.ts';
import { expendable, failedSince, lastDue, nextNight } from '../../domain/backups/backup-schedule.ts';
import { nextDrillMoment } from '../../domain/backups/drill-schedule.ts';
import {
  type BackupCheck,
  type BackupCheckEnd,
  claimBackupChecks,
  endBackupChecks,
  type MissedBackup,
} from '../../store/backups/backup-check-store.ts';
import { listFailedCopies, listPurgedDatabases } from '../../store/backups/backup-copy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { subjectsOf } from './backup-subjects.ts';
import { deleteBackup } from './delete-backup.ts';
import { missedBackup, startDueBackup } from './start-due-backup.ts';
import { sweepDrills } from './sweep-drills.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'fingerprint' | 'newId' | 'now'>;

/** A run of 64 checks gives about 19,000 in the five hours of a night. One pass stays within the 1,000 calls to D1 that a run has. */
const checksPerPass = 4;
const passesMax = 16;
/** Next check while a backup is running, was refused or has failed, or while expired backups remain. */
const checkAgainMs = 15 * 60_000;
/** Next check while a backup is running and another volume of the service waits: most copies take less than this. */
const nextVolumeMs = 2 * 60_000;

/** @returns number of checked services */
export async function sweepBackups(deps: Needs): Promise<number> {
  let checked = 0;
  await repeatPass(deps, passesMax, async () => {
    const inPass = await checkSome(deps);
    checked += inPass;
    return inPass === checksPerPass;
  });
  return checked;
}

async function checkSome(deps: Needs): Promise<number> {
  const now = deps.now();
  const until = now + checkAgainMs;
  const checks = await claimBackupChecks(deps.db, { now, until, limit: checksPerPass });
  const outcomes = await Promise.allSettled(checks.map((one) => checkOne(deps, one, now)));
  const ends = outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    console.error('The backups of a service could not be checked:', outcome.reason);
    return [];
  });
  if (ends.length > 0) {
    const missed = ends.flatMap((one) => one.missed ?? []);
    await endBackupChecks(
      deps.db,
      ends.map(({ end }) => end),
      missed,
      until,
    );
  }
  return checks.length;
}

interface CheckOutcome {
  end: BackupCheckEnd;
  missed: MissedBackup | undefined;
}

async function checkOne(deps: Needs, check: BackupCheck, now: number): Promise<CheckOutcome> {
  const { service, settings, backups } = check;
  const subjects = subjectsOf(check);
  const started = await startDueBackup(deps, check, subjects, now);
  const missed = missedBackup(deps, check, { subjects, started, now });
  const isMoreExpired = await removeExpired(deps, check);
  const isAtWork = started.due > 0 || backups.some(({ status }) => status === 'running');
  const drill = await sweepDrills(deps, check, { subjects, now, isFree: !isAtWork && !service.stopped });
  const isOpen =
    isAtWork ||
    drill.isOpen ||
    isMoreExpired ||
    failedSince(backups, lastDue('daily', service.id, now)) !== undefined;
  const end = {
    serviceId: service.id,
    nextCheckAt: isOpen
      ? now + (started.isNextWaiting ? nextVolumeMs : checkAgainMs)
      : nextCheckAt(settings, now),
    notedDueAt: service.stopped ? now : Math.max(missed?.dueAt ?? 0, settings.notedDueAt),
    notedDrillAt: drill.notedDrillAt,
  };
  return { end, missed };
}

function nextCheckAt({ serviceId, drill }: BackupCheck['settings'], now: number): number {
  const night = nextNight(serviceId, now);
  return drill === 'off' ? night : Math.min(night, nextDrillMoment(serviceId, now));
}

const removalsPerCheck = 1;

/**
 * Deletes the oldest expired backup: of a database, or of each volume, including deleted ones.
 * @returns whether other backups have expired as well
 */
async function removeExpired(
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

type CopyNeeds = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

/** Longer than any outage of the cron, so that each failed backup is checked several times. */
const failedSinceMs = 24 * 3_600_000;
/** Objects that one call to the bucket can delete. */
const copiesPerRun = 1_000;
/** The longest job deadline is six hours, so an upload from the previous day is abandoned. */
const forgottenAfterMs = 24 * 3_600_000;
/** The free plan allows 50 external calls per run; a database needs two of them if the bucket is not R2. */
const databasesPerRun = 10;

/**
 * Deletes objects that are no longer reachable: copies of backups that failed after their upload, and all copies of databases that were
 * deleted (a day later, together with their data volumes). Only objects that rows refer to are deleted; unknown ones remain. Abandoned
 * uploads are aborted.
 */
export async function sweepCopies({ db, blobs, now }: CopyNeeds): Promise<void> {
  const failed = await listFailedCopies(db, now() - failedSinceMs, copiesPerRun);
  if (failed.length > 0) await blobs.remove(failed.map(remoteKeyOf));
  for (const serviceId of await listPurgedDatabases(db, now(), databasesPerRun)) {
    await blobs.removeBelow(`backups/${serviceId}/`);
  }
  await blobs.abortStaleUploads('backups/svc_', now() - forgottenAfterMs);
}
