/**
 * The automatic backups. Cron checks each database with a schedule about once a night, and again soon while work is pending. A check starts
 * due backups, reports missed ones, deletes expired ones, and handles restore drills. It depends on rows alone, so a missed minute or an
 * outage of days only delays it.
 */
import { expendable } from '../../domain/backup-retention.ts';
import {
  type BackupLevel,
  dueTrigger,
  failedSince,
  lastDue,
  missedDue,
  nextNight,
} from '../../domain/backup-schedule.ts';
import { nextDrillMoment } from '../../domain/drill-schedule.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  type BackupCheck,
  type BackupCheckEnd,
  claimBackupChecks,
  endBackupChecks,
  type MissedBackup,
} from '../../store/backup-check-store.ts';
import type { BackupRow } from '../../store/backup-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { deleteBackup } from './delete-backup.ts';
import { startBackup } from './start-backup.ts';
import { sweepDrills } from './sweep-drills.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'fingerprint' | 'newId' | 'now'>;

/** A run of 64 checks gives about 19,000 in the five hours of a night. One pass fits into the 1,000 calls to D1 that a run has. */
const checksPerPass = 4;
const passesMax = 16;
const removalsPerCheck = 1;
/** Next check while a backup is running, was refused or has failed, or while expired backups remain. */
const checkAgainMs = 15 * 60_000;

/** @returns how many databases were checked */
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
    console.error('The backups of a database could not be checked:', outcome.reason);
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

async function checkOne(deps: Needs, one: BackupCheck, now: number): Promise<CheckOutcome> {
  const { service, settings, backups } = one;
  // A database that was never deployed holds no data, and that of a stopped one does not change.
  const rests = service.lastDeployedAt === null || service.stopped;
  const trigger = rests ? undefined : dueTrigger(settings, backups, now);
  const refusal = trigger && (await start(deps, one, trigger));
  const missed = rests ? undefined : missedBackup(deps, one, { now, trigger, refusal });
  const outdated = expendable(backups);
  await remove(deps, service, outdated.slice(0, removalsPerCheck));
  const isAtWork = trigger !== undefined || backups.some(({ status }) => status === 'running');
  const drill = await sweepDrills(deps, one, { now, isFree: !isAtWork && !service.stopped });
  const isOpen =
    isAtWork ||
    drill.isOpen ||
    outdated.length > removalsPerCheck ||
    failedSince(backups, lastDue('daily', service.id, now)) !== undefined;
  const end = {
    serviceId: service.id,
    nextCheckAt: isOpen ? now + checkAgainMs : nextCheckAt(settings, now),
    notedDueAt: service.stopped ? now : Math.max(missed?.dueAt ?? 0, settings.notedDueAt),
    notedDrillAt: drill.notedDrillAt,
  };
  return { end, missed };
}

function nextCheckAt({ serviceId, drill }: BackupCheck['settings'], now: number): number {
  const night = nextNight(serviceId, now);
  return drill === 'off' ? night : Math.min(night, nextDrillMoment(serviceId, now));
}

/** @returns why the backup was not started */
async function start(
  deps: Needs,
  { service, settings }: BackupCheck,
  trigger: Exclude<BackupRow['trigger'], 'pre-restore'>,
): Promise<ApiError | undefined> {
  try {
    await startBackup(deps, service, { storage: settings.storage, trigger });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The event for a missed backup, once per period. A backup that was tried and failed has already been reported. */
function missedBackup(
  { newId }: Pick<Needs, 'newId'>,
  { service, settings, backups }: BackupCheck,
  { now, trigger, refusal }: { now: number; trigger: BackupLevel | undefined; refusal: ApiError | undefined },
): MissedBackup | undefined {
  const since = Math.max(settings.notedDueAt, settings.updatedAt);
  const dueAt = missedDue(settings, backups, { now, since });
  if (dueAt === undefined || failedSince(backups, dueAt)) return undefined;
  const event = {
    id: newId('event'),
    type: 'backup.missed',
    serviceId: service.id,
    resourceId: service.id,
    trigger: trigger ?? null,
    error: refusal?.message ?? null,
    audit: { reason: refusal?.code ?? 'not_taken', status: refusal?.status ?? 503 },
    at: now,
  } as const;
  return { dueAt, event };
}

async function remove(deps: Needs, service: BackupCheck['service'], outdated: BackupRow[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    outdated.map((backup) => deleteBackup(deps, { backup, service })),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      console.error('An expired backup could not be deleted:', outcome.reason);
  }
}
