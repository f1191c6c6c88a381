/**
 * The schedule of restore drills: once a week, on the database's own weekday, two hours after its backups, so that the drill tests that
 * night's backup. Like a backup, a drill stays due until it succeeds.
 */
import { lastDue, nightMomentMs, retryAfterMs } from './backup-schedule.ts';
import type { DrillState } from './drill-state.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const weekDays = 7;
/** Leaves time for the night's backup. */
const afterBackupsMs = 2 * hourMs;

/** A scheduled or manual drill. */
export interface DrillRun {
  status: DrillState;
  createdAt: number;
  finishedAt: number | null;
}

export interface DrillSchedule {
  serviceId: string;
  drill: 'weekly' | 'off';
}

/** The latest due time of a drill, not after `now`. */
export function lastDrillDue(serviceId: string, now: number): number {
  const today = drillMomentOfDay(serviceId, now);
  const daysSince = (dayOf(today) - weekDayOf(serviceId) + weekDays) % weekDays;
  return today - daysSince * dayMs;
}

/** The next time after `now` at which a drill can be due: once a day, because failed drills are retried the next day. */
export const nextDrillMoment = (serviceId: string, now: number): number =>
  drillMomentOfDay(serviceId, now) + dayMs;

/**
 * Whether a drill should start now: none has succeeded this week, and the newest backup is not verified.
 * @param newest the newest successful backup; undefined if there is nothing to test
 * @param runs at least those of the last eight days
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

/** A failed or skipped drill is retried the next day, an aborted one after an hour. */
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

/** The latest daily drill time, not after `now`. */
const drillMomentOfDay = (serviceId: string, now: number): number =>
  lastDue('daily', serviceId, now - afterBackupsMs) + afterBackupsMs;

/** Weekday from 0 to 6, spread independently of the time of night. */
const weekDayOf = (serviceId: string): number => (nightMomentMs(`${serviceId} drill`) / 60_000) % weekDays;

const dayOf = (at: number): number => Math.floor(at / dayMs) % weekDays;
