/** Starts a due backup and reports missed ones, as part of sweep-backups. */
import { backupSchedule } from '../../domain/access/initiator.ts';
import {
  type BackupLevel,
  dueTrigger,
  failedSince,
  missedDue,
} from '../../domain/backups/backup-schedule.ts';
import { ApiError } from '../../domain/errors.ts';
import type { BackupCheck, MissedBackup } from '../../store/backups/backup-check-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordQuotaRefusal } from '../record-quota-refusal.ts';
import { type BackupSubject, isOnHost } from './backup-subjects.ts';
import { startBackup } from './start-backup.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

export interface StartedBackup {
  /** Number of due backups, including the started one. */
  due: number;
  trigger: BackupLevel | undefined;
  /** The reason why it was not started. */
  refusal: ApiError | undefined;
  /** Whether another volume waits for the end of the running backup. */
  isNextWaiting: boolean;
}

const nothingDue: StartedBackup = { due: 0, trigger: undefined, refusal: undefined, isNextWaiting: false };

/** Starts one backup: a service has one job at a time. The data of a stopped service does not change, so it needs no backup. */
export async function startDueBackup(
  deps: Needs,
  check: BackupCheck,
  subjects: readonly BackupSubject[],
  now: number,
): Promise<StartedBackup> {
  const { service, settings } = check;
  if (service.stopped) return nothingDue;
  const due = subjects.flatMap((subject) => {
    const trigger = isOnHost(check, subject) ? dueTrigger(settings, subject.backups, now) : undefined;
    return trigger ? [{ subject, trigger }] : [];
  });
  const [first] = due;
  if (!first) return nothingDue;
  const { trigger } = first;
  const isBusy = check.backups.some(({ status }) => status === 'running');
  const refusal = isBusy ? undefined : await start(deps, check, first);
  const waiting = isBusy ? due.length : due.length - 1;
  return { due: due.length, trigger, refusal, isNextWaiting: !refusal && waiting > 0 };
}

/** @returns the reason why the backup was not started */
async function start(
  deps: Needs,
  { service, settings }: BackupCheck,
  { subject, trigger }: { subject: BackupSubject; trigger: BackupLevel },
): Promise<ApiError | undefined> {
  const { storage } = settings;
  const volume = subject.volume
    ? { id: subject.volume.id, quiesce: settings.quiesce ?? { type: 'none' as const } }
    : undefined;
  try {
    await startBackup({ ...deps, initiator: backupSchedule }, service, { storage, trigger, volume });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.quota !== undefined) await recordQuotaRefusal(deps, service, error.quota);
    return error;
  }
}

/** The event for missed backups, once per service and period. A backup that was tried and failed has already been reported. */
export function missedBackup(
  { newId }: Pick<Needs, 'newId'>,
  check: BackupCheck,
  { subjects, started, now }: { subjects: readonly BackupSubject[]; started: StartedBackup; now: number },
): MissedBackup | undefined {
  const { service, settings } = check;
  if (service.stopped) return undefined;
  const missed = subjects.flatMap((subject) => {
    if (!isOnHost(check, subject)) return [];
    const { volume, backups } = subject;
    const since = Math.max(settings.notedDueAt, settings.updatedAt, volume?.createdAt ?? 0);
    const dueAt = missedDue(settings, backups, { now, since });
    return dueAt === undefined || failedSince(backups, dueAt) ? [] : [{ dueAt, volume }];
  });
  if (missed.length === 0) return undefined;
  const { trigger, refusal } = started;
  const names = missed.flatMap(({ volume }) => volume?.name ?? []);
  const which = names.length > 0 ? `Volumes without this backup: ${names.join(', ')}.` : '';
  const event = {
    id: newId('event'),
    type: 'backup.missed',
    serviceId: service.id,
    resourceId: service.id,
    trigger: trigger ?? null,
    error: [which, refusal?.message ?? ''].filter(Boolean).join(' ') || null,
    audit: { reason: refusal?.code ?? 'not_taken', status: refusal?.status ?? 503 },
    at: now,
  } as const;
  return { dueAt: Math.max(...missed.map(({ dueAt }) => dueAt)), event };
}
