/**
 * The schedule of automatic backups. Each level (daily, weekly, monthly) becomes due once per period, at the service's own time of the
 * night (UTC), and stays due until a backup of that level or a higher one is taken: a monthly backup also counts as that week's and that
 * day's. An outage loses nothing: a due backup is taken at the next check.
 */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The epoch began on a Thursday, and weeks begin on Mondays. */
const firstMondayMs = 4 * dayMs;
/** Backups of all services are spread over these hours of the night. */
const nightMs = 5 * hourMs;
/** Limits of retries after a failure: per day, and the wait between two, so that a temporary cause can pass. */
export const attemptsPerDay = 3;
export const retryAfterMs = hourMs;
/** A backup that has not succeeded this long after it was due counts as missed. */
const missedAfterMs = dayMs;

/** Highest first. */
export const levels = ['monthly', 'weekly', 'daily'] as const;
export type BackupLevel = (typeof levels)[number];

/** Upper bound of a period: added to a due time, it reaches the next due time but never the one after. */
const periodMaxMs: Record<BackupLevel, number> = { daily: dayMs, weekly: 7 * dayMs, monthly: 31 * dayMs };

export interface Schedule {
  serviceId: string;
  automaticEnabled: boolean;
  dailyEnabled: boolean;
  weeklyEnabled: boolean;
  monthlyEnabled: boolean;
}

/** A backup with any trigger; only those of a level count in this module. */
export interface BackupRun {
  trigger: string;
  status: 'running' | 'succeeded' | 'failed';
  createdAt: number;
}

/** The service's time of the night after midnight UTC: whole minutes, constant, spread evenly by a hash of its id (FNV-1a). */
export function nightMomentMs(serviceId: string): number {
  let hash = 0x811c9dc5;
  for (const character of serviceId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return (hash % (nightMs / minuteMs)) * minuteMs;
}

/** The latest due time of this level, not after `now`. */
export function lastDue(level: BackupLevel, serviceId: string, now: number): number {
  const moment = nightMomentMs(serviceId);
  return periodStart(level, now - moment) + moment;
}

/** The next due time of an enabled level, after `now`; null if no backups are scheduled. */
export function nextDue(schedule: Schedule, now: number): number | null {
  const moments = enabledLevels(schedule).map((level) => {
    const due = lastDue(level, schedule.serviceId, now);
    return lastDue(level, schedule.serviceId, due + periodMaxMs[level]);
  });
  return moments.length === 0 ? null : Math.min(...moments);
}

/** The service's backup time in the night after `now`. */
export const nextNight = (serviceId: string, now: number): number => lastDue('daily', serviceId, now) + dayMs;

/** The level to back up now; undefined if none is due, a backup runs, or no retry is left today. */
export function dueTrigger(
  schedule: Schedule,
  runs: readonly BackupRun[],
  now: number,
): BackupLevel | undefined {
  if (runs.some(({ status }) => status === 'running') || !mayTryAgain(schedule, runs, now)) return undefined;
  return enabledLevels(schedule).find((level) => {
    const due = lastDue(level, schedule.serviceId, now);
    return !runs.some((run) => run.status === 'succeeded' && run.createdAt >= due && covers(run, level));
  });
}

/**
 * The due time of a missed backup, which had not succeeded a day later; undefined if none was missed. A running backup is not missed yet.
 * @param since due times up to this one are ignored: already recorded, or before the schedule existed
 */
export function missedDue(
  schedule: Schedule,
  runs: readonly BackupRun[],
  { now, since }: { now: number; since: number },
): number | undefined {
  const missed = enabledLevels(schedule).map((level) => {
    const due = lastDue(level, schedule.serviceId, now - missedAfterMs);
    const isTaken = runs.some((run) => run.status !== 'failed' && run.createdAt >= due && covers(run, level));
    return isTaken || due <= since ? undefined : due;
  });
  const found = missed.filter((due) => due !== undefined);
  return found.length === 0 ? undefined : Math.max(...found);
}

/** The newest scheduled backup since this time that failed. */
export function failedSince<Run extends BackupRun>(runs: readonly Run[], since: number): Run | undefined {
  return failuresSince(runs, since).toSorted((one, other) => other.createdAt - one.createdAt)[0];
}

function mayTryAgain({ serviceId }: Schedule, runs: readonly BackupRun[], now: number): boolean {
  const failures = failuresSince(runs, lastDue('daily', serviceId, now));
  const lastAt = Math.max(...failures.map(({ createdAt }) => createdAt));
  return failures.length < attemptsPerDay && now - lastAt >= retryAfterMs;
}

const failuresSince = <Run extends BackupRun>(runs: readonly Run[], since: number): Run[] =>
  runs.filter(
    ({ trigger, status, createdAt }) => status === 'failed' && rankOf(trigger) >= 0 && createdAt >= since,
  );

function enabledLevels(schedule: Schedule): BackupLevel[] {
  if (!schedule.automaticEnabled) return [];
  return levels.filter((level) => schedule[`${level}Enabled`]);
}

const rankOf = (trigger: string) => (levels as readonly string[]).indexOf(trigger);

const covers = ({ trigger }: BackupRun, level: BackupLevel) =>
  rankOf(trigger) >= 0 && rankOf(trigger) <= rankOf(level);

function periodStart(level: BackupLevel, at: number): number {
  if (level === 'daily') return at - (at % dayMs);
  if (level === 'weekly') return at - ((at - firstMondayMs) % (7 * dayMs));
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/**
 * Backup retention: 7 daily, 5 weekly and 12 monthly backups, and always the newest one that succeeded.
 * Number of kept backups by trigger. Manual backups are kept until a person deletes them.
 */
export const keptBackups = {
  daily: 7,
  weekly: 5,
  monthly: 12,
  'pre-restore': 7,
  'pre-update': 7,
  move: 7,
} as const;

/** @param backups of one service @returns those beyond retention, oldest first. Failed and running backups are not included. */
export function expendable<Run extends BackupRun>(backups: readonly Run[]): Run[] {
  const succeeded = backups
    .filter(({ status }) => status === 'succeeded')
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const beyond = Object.entries(keptBackups).flatMap(([trigger, count]) =>
    succeeded.filter((backup) => backup.trigger === trigger).slice(count),
  );
  return beyond
    .filter((backup) => backup !== succeeded[0])
    .toSorted((one, other) => one.createdAt - other.createdAt);
}
