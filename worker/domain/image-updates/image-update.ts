/** Updates of services to a new digest of their image: the words and times of their steps. */
import { nextOccurrence } from '../commands/schedules.ts';
import type { Weekday } from '../values/daily-span.ts';
import { openUntil, type UpdateWindow } from '../values/update-window.ts';

/** A volume of the service, and the backup that was taken of it for the update. */
export interface UpdateCopy {
  volumeId: string;
  backupId: string | null;
  /** The drill of the backup. */
  drillId: string | null;
  isProven: boolean;
  /** The restore of the backup, after the new version has failed. */
  restoreId: string | null;
}

/** An update that is under way. Its ids are stored before the work begins, so that no step runs twice. */
export interface UpdateAttempt {
  /** In order; services without volumes begin with `deploy`, and only a failure leads to `restore`. */
  step: 'backup' | 'deploy' | 'restore';
  digest: string;
  deploymentId: string;
  /** The version that is replaced, with its digest. */
  before: { deploymentId: string; digest: string | null };
  /** The deployment has to begin before this time. */
  until: number;
  copies: UpdateCopy[];
  /** Why the new version failed: set for `restore`. */
  failure: string | null;
}

/** How an update ended. A digest that `failed` is not tried again; one that was `postponed` is. */
export interface UpdateOutcome {
  result: 'deployed' | 'failed' | 'postponed';
  digest: string;
  detail: string;
  at: number;
  /** Deployments of this digest that failed before the new version started. */
  tries: number;
}

/** Deployments of one digest that may fail before the new version starts, for example because the registry is down. */
export const triesMax = 3;

/** @returns when the window opens next, in epoch milliseconds; `now` if it is open; null for a time that never comes */
export function opensAt(window: UpdateWindow, now: number): number | null {
  if (window === 'always' || openUntil(window, now) !== undefined) return now;
  const [hours, minutes] = window.from.split(':').map(Number);
  const cron = `${minutes} ${hours} * * ${window.days.map((day) => cronDays[day]).join(',')}`;
  return nextOccurrence({ cron, timeZone: window.timeZone }, now);
}

const cronDays: Record<Weekday, number> = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 };

/** "sha256:9b2c1f0e4d6a": enough to recognise a digest. */
export const shortDigest = (digest: string): string => digest.slice(0, 'sha256:'.length + 12);

/** The line that a deployment shows. */
export const updateMessage = (imageRef: string, digest: string, before: string | null): string =>
  `New image digest ${shortDigest(digest)} of ${imageRef}${before === null ? '' : `, instead of ${shortDigest(before)}`}`;

const lookMsMin = 5 * 60_000;
const lookMsSpan = 10 * 60_000;
const backOffMsMax = 6 * 3_600_000;

/**
 * When a registry is asked again: after 5 to 15 minutes. After failures the wait doubles up to 6 hours, and is never shorter than the registry asks.
 * @param chance 0 to 1 @param waitMs null: the registry asks for no wait
 */
export function nextLookAt(
  now: number,
  chance: number,
  { failures, waitMs }: { failures: number; waitMs: number | null } = { failures: 0, waitMs: null },
): number {
  const usual = lookMsMin + chance * lookMsSpan;
  const backOff = Math.min(backOffMsMax, usual * 2 ** Math.min(failures, 10));
  return Math.round(now + Math.max(waitMs ?? 0, backOff));
}
