/**
 * When backups are taken by themselves. A level (daily, weekly, monthly) is due once a period, at the service's own moment of the night
 * (UTC); from then on it is open until a backup of this level or a higher one was taken: a monthly backup is also that week's and that
 * day's. Nothing is lost by an outage: what is open is taken as soon as somebody looks.
 */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The epoch began on a Thursday; weeks begin on Mondays. */
const firstMondayMs = 4 * dayMs;
/** Backups of all services spread over these hours of the night. */
const nightMs = 5 * hourMs;
/** A failed one is tried again so often a day, and not at once: what stopped it may pass. */
export const attemptsPerDay = 3;
export const retryAfterMs = hourMs;
/** From its due moment on; then it counts as missed. */
const missedAfterMs = dayMs;

/** The highest first. */
export const levels = ['monthly', 'weekly', 'daily'] as const;
export type BackupLevel = (typeof levels)[number];

/** From one due moment this leads to the next one at least, and never to the one after that. */
const periodMaxMs: Record<BackupLevel, number> = { daily: dayMs, weekly: 7 * dayMs, monthly: 31 * dayMs };

export interface Schedule {
  serviceId: string;
  automaticEnabled: boolean;
  dailyEnabled: boolean;
  weeklyEnabled: boolean;
  monthlyEnabled: boolean;
}

/** A backup of any trigger; only those of a level count here. */
export interface BackupRun {
  trigger: string;
  status: 'running' | 'succeeded' | 'failed';
  createdAt: number;
}

/** Of the service, after midnight UTC: whole minutes, the same for ever, spread evenly by its id (FNV-1a). */
export function nightMomentMs(serviceId: string): number {
  let hash = 0x811c9dc5;
  for (const character of serviceId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return (hash % (nightMs / minuteMs)) * minuteMs;
}

/** The last moment, not after `now`, at which this level was due. */
export function lastDue(level: BackupLevel, serviceId: string, now: number): number {
  const moment = nightMomentMs(serviceId);
  return periodStart(level, now - moment) + moment;
}

/** The first moment after `now` at which an enabled level is due; null: the settings schedule none. */
export function nextDue(schedule: Schedule, now: number): number | null {
  const moments = enabledLevels(schedule).map((level) => {
    const due = lastDue(level, schedule.serviceId, now);
    return lastDue(level, schedule.serviceId, due + periodMaxMs[level]);
  });
  return moments.length === 0 ? null : Math.min(...moments);
}

/** Of the night after `now`. */
export const nextNight = (serviceId: string, now: number): number => lastDue('daily', serviceId, now) + dayMs;

/** The level of which a backup is to be taken now; undefined: none, or one is at work, or it has failed too often today. */
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
 * The due moment of a backup that had not succeeded a day after it; undefined: there is none. One that is still at work is not given up.
 * @param since what was due before it counts for nothing: that was noted, or the schedule is younger
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

/** The newest scheduled backup since then that failed. */
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
