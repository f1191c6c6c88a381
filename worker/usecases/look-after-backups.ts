/**
 * Automatic backups: cron looks at each database that has some about once a night, and again soon while something is open. A look takes
 * what is due, notes in the audit log what failed or was missed, removes what is kept no longer, and looks after restore drills. From rows
 * alone: a lost minute or an outage of days only makes it later.
 */
import { expendable } from '../domain/backup-retention.ts';
import { dueTrigger, failedSince, lastDue, missedDue, nextNight } from '../domain/backup-schedule.ts';
import { nextDrillMoment } from '../domain/drill-schedule.ts';
import { ApiError } from '../domain/errors.ts';
import {
  type BackupLook,
  type BackupLookEnd,
  claimBackupLooks,
  endBackupLooks,
} from '../store/backup-look-store.ts';
import type { BackupRow } from '../store/backup-store.ts';
import { deleteBackup } from './delete-backup.ts';
import type { Dependencies } from './dependencies.ts';
import { lookAfterDrill } from './look-after-drill.ts';
import { noteAuditEntry } from './note-audit-entry.ts';
import { startBackup } from './start-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'fingerprint' | 'newId' | 'now'>;

/** A run has 50 subrequests on the free plan, which the other work of the minute shares: a look takes about nine at most. */
const looksPerRun = 4;
const removalsPerLook = 1;
/** While a backup is at work, was refused or has failed, or more is to be removed. */
const lookAgainMs = 15 * 60_000;

/** @returns how many databases were looked at */
export async function lookAfterBackups(deps: Needs): Promise<number> {
  const now = deps.now();
  const until = now + lookAgainMs;
  const looks = await claimBackupLooks(deps.db, { now, until, limit: looksPerRun });
  const outcomes = await Promise.allSettled(looks.map((one) => look(deps, one, now)));
  const ends = outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    console.error('the backups of a database could not be looked after', outcome.reason);
    return [];
  });
  if (ends.length > 0) await endBackupLooks(deps.db, ends, until);
  return looks.length;
}

async function look(deps: Needs, one: BackupLook, now: number): Promise<BackupLookEnd> {
  const { service, settings, backups } = one;
  // What was never deployed holds nothing.
  const trigger = service.lastDeployedAt === null ? undefined : dueTrigger(settings, backups, now);
  const refusal = trigger && (await start(deps, one, trigger));
  const notedDueAt = service.lastDeployedAt === null ? 0 : await note(deps, one, { now, refusal });
  const outdated = expendable(backups);
  await remove(deps, service, outdated.slice(0, removalsPerLook));
  const isAtWork = trigger !== undefined || backups.some(({ status }) => status === 'running');
  const drill = await lookAfterDrill(deps, one, { now, isFree: !isAtWork });
  const isOpen =
    isAtWork ||
    drill.isOpen ||
    outdated.length > removalsPerLook ||
    failedSince(backups, lastDue('daily', service.id, now)) !== undefined;
  return {
    serviceId: service.id,
    nextLookAt: isOpen ? now + lookAgainMs : nextLookAt(settings, now),
    notedDueAt: Math.max(notedDueAt, settings.notedDueAt),
    notedDrillAt: drill.notedDrillAt,
  };
}

function nextLookAt({ serviceId, drill }: BackupLook['settings'], now: number): number {
  const night = nextNight(serviceId, now);
  return drill === 'off' ? night : Math.min(night, nextDrillMoment(serviceId, now));
}

/** @returns why none was started */
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

/** One entry a period. @returns the due moment that was noted last; 0: none */
async function note(
  deps: Needs,
  { service, settings, tenantId, backups }: BackupLook,
  { now, refusal }: { now: number; refusal: ApiError | undefined },
): Promise<number> {
  const since = Math.max(settings.notedDueAt, settings.updatedAt);
  const missed = missedDue(settings, backups, { now, since });
  const tonight = lastDue('daily', service.id, now);
  const failed = failedSince(backups, tonight);
  const write = (route: string, resourceId: string, status: number) =>
    noteAuditEntry(deps, {
      tenantId,
      actor: 'system',
      route,
      resourceId,
      status,
      requestId: '',
      address: '',
    });
  if (missed !== undefined) {
    const attempt = failedSince(backups, missed);
    if (attempt) await write('backup.failed', attempt.id, 500);
    else await write(`backup.missed ${refusal?.code ?? 'not_taken'}`, service.id, refusal?.status ?? 503);
  }
  if (failed && tonight > settings.notedDueAt) {
    await write('backup.failed', failed.id, 500);
    return tonight;
  }
  return missed ?? 0;
}

async function remove(deps: Needs, service: BackupLook['service'], outdated: BackupRow[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    outdated.map((backup) => deleteBackup(deps, { backup, service })),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') console.error('a backup could not be removed', outcome.reason);
  }
}
