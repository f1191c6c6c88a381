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
  type BackupLook,
  type BackupLookEnd,
  claimBackupLooks,
  endBackupLooks,
  type MissedBackup,
} from '../../store/backup-look-store.ts';
import type { BackupRow } from '../../store/backup-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteBackup } from './delete-backup.ts';
import { lookAfterDrill } from './look-after-drill.ts';
import { startBackup } from './start-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'fingerprint' | 'newId' | 'now'>;

/** A run has 50 subrequests on the free plan, shared with the minute's other work; a check needs about nine at most. */
const looksPerRun = 4;
const removalsPerLook = 1;
/** Next check while a backup is running, was refused or has failed, or while expired backups remain. */
const lookAgainMs = 15 * 60_000;

/** @returns how many databases were checked */
export async function lookAfterBackups(deps: Needs): Promise<number> {
  const now = deps.now();
  const until = now + lookAgainMs;
  const looks = await claimBackupLooks(deps.db, { now, until, limit: looksPerRun });
  const outcomes = await Promise.allSettled(looks.map((one) => look(deps, one, now)));
  const ends = outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    console.error('The backups of a database could not be checked:', outcome.reason);
    return [];
  });
  if (ends.length > 0) {
    const missed = ends.flatMap((one) => one.missed ?? []);
    await endBackupLooks(
      deps.db,
      ends.map(({ end }) => end),
      missed,
      until,
    );
  }
  return looks.length;
}

interface LookOutcome {
  end: BackupLookEnd;
  missed: MissedBackup | undefined;
}

async function look(deps: Needs, one: BackupLook, now: number): Promise<LookOutcome> {
  const { service, settings, backups } = one;
  // A database that was never deployed holds no data.
  const trigger = service.lastDeployedAt === null ? undefined : dueTrigger(settings, backups, now);
  const refusal = trigger && (await start(deps, one, trigger));
  const missed =
    service.lastDeployedAt === null ? undefined : missedBackup(deps, one, { now, trigger, refusal });
  const outdated = expendable(backups);
  await remove(deps, service, outdated.slice(0, removalsPerLook));
  const isAtWork = trigger !== undefined || backups.some(({ status }) => status === 'running');
  const drill = await lookAfterDrill(deps, one, { now, isFree: !isAtWork });
  const isOpen =
    isAtWork ||
    drill.isOpen ||
    outdated.length > removalsPerLook ||
    failedSince(backups, lastDue('daily', service.id, now)) !== undefined;
  const end = {
    serviceId: service.id,
    nextLookAt: isOpen ? now + lookAgainMs : nextLookAt(settings, now),
    notedDueAt: Math.max(missed?.dueAt ?? 0, settings.notedDueAt),
    notedDrillAt: drill.notedDrillAt,
  };
  return { end, missed };
}

function nextLookAt({ serviceId, drill }: BackupLook['settings'], now: number): number {
  const night = nextNight(serviceId, now);
  return drill === 'off' ? night : Math.min(night, nextDrillMoment(serviceId, now));
}

/** @returns why the backup was not started */
async function start(
  deps: Needs,
  { service, settings }: BackupLook,
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
  { service, settings, backups }: BackupLook,
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

async function remove(deps: Needs, service: BackupLook['service'], outdated: BackupRow[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    outdated.map((backup) => deleteBackup(deps, { backup, service })),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      console.error('An expired backup could not be deleted:', outcome.reason);
  }
}
