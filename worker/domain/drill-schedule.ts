/**
 * When restore drills begin by themselves: once a week, on the database's own day and two hours after its backups, so that what was
 * taken in that night is tried out. Like a backup, a drill that is due stays due until it has succeeded.
 */
import { lastDue, nightMomentMs, retryAfterMs } from './backup-schedule.ts';
import type { DrillState } from './drill-state.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const weekDays = 7;
/** Time for the night's backup. */
const afterBackupsMs = 2 * hourMs;

/** A drill by schedule or by hand. */
export interface DrillRun {
  status: DrillState;
  createdAt: number;
  finishedAt: number | null;
}

export interface DrillSchedule {
  serviceId: string;
  drill: 'weekly' | 'off';
}

/** The last moment, not after `now`, at which a drill was due. */
export function lastDrillDue(serviceId: string, now: number): number {
  const today = drillMomentOfDay(serviceId, now);
  const daysSince = (dayOf(today) - weekDayOf(serviceId) + weekDays) % weekDays;
  return today - daysSince * dayMs;
}

/** The next moment after `now` at which one may be due: each day has one, since what failed is tried again. */
export const nextDrillMoment = (serviceId: string, now: number): number =>
  drillMomentOfDay(serviceId, now) + dayMs;

/**
 * Whether one is to begin now: this week none has succeeded, and the newest backup is not proven.
 * @param newest backup that succeeded; undefined: there is nothing to try out
 * @param runs of the last eight days at least
 */
export function isDrillDue(
  { serviceId, drill }: DrillSchedule,
  newest: { lastProvenAt: number | null } | undefined,
  runs: readonly DrillRun[],
  now: number,
): boolean {
  if (drill === 'off' || newest?.lastProvenAt !== null) return false;
  const due = lastDrillDue(serviceId, now);
  const isDone = runs.some(({ status, createdAt }) => status === 'succeeded' && createdAt >= due);
  return !isDone && runs.every((run) => mayFollow(run, serviceId, now));
}

/** One that failed or was skipped is tried again the next day; an aborted one after an hour. */
function mayFollow({ status, createdAt, finishedAt }: DrillRun, serviceId: string, now: number): boolean {
  switch (status) {
    case 'running':
      return false;
    case 'succeeded':
      return true;
    case 'aborted':
      return now - (finishedAt ?? createdAt) >= retryAfterMs;
    case 'failed':
    case 'skipped':
      return createdAt < drillMomentOfDay(serviceId, now);
  }
}

/** The last one, not after `now`. */
const drillMomentOfDay = (serviceId: string, now: number): number =>
  lastDue('daily', serviceId, now - afterBackupsMs) + afterBackupsMs;

/** 0 to 6: another spread than that over the night, which is by minutes. */
const weekDayOf = (serviceId: string): number => (nightMomentMs(`${serviceId} drill`) / 60_000) % weekDays;

const dayOf = (at: number): number => Math.floor(at / dayMs) % weekDays;
