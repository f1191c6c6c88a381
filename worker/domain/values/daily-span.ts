/** A daily span in a time zone, such as quiet hours or the window for upgrades of hosts. */
import { z } from 'zod';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "22:00"');

export const dailySpanFields = {
  from: timeOfDay.describe('Begin, as a time of the day.'),
  to: timeOfDay.describe('End; before `from`: on the next day.'),
  timeZone: z
    .string()
    .max(64, 'is too long: at most 64 characters')
    .refine(isTimeZone, 'must be an IANA time zone, such as "UTC" or "Europe/Berlin"')
    .describe('IANA time zone.'),
};

export interface DailySpan {
  from: string;
  to: string;
  timeZone: string;
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];
export const allDays: readonly Weekday[] = weekdays;

/** A daily span that begins only on some days of the week. */
export interface WeeklySpan extends DailySpan {
  days: readonly Weekday[];
}

/** The span that contains `now`, if it began on one of its days; otherwise like `spanAt`. */
export function weeklySpanAt(span: WeeklySpan, now: number): ReturnType<typeof spanAt> {
  const found = spanAt(span, now);
  if (!found) return undefined;
  const format = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: span.timeZone });
  const day = format.format(found.startedAt).toLowerCase();
  return span.days.some((one) => one === day) ? found : undefined;
}

/**
 * The span that contains `now`. In the night of a clock change its bounds can be an hour off.
 * @param now epoch milliseconds
 * @returns its bounds in epoch milliseconds, whole minutes; undefined outside the span
 */
export function spanAt(
  { from, to, timeZone }: DailySpan,
  now: number,
): { startedAt: number; endsAt: number } | undefined {
  const minute = Math.floor(now / minuteMs);
  const sinceBegin = (minuteOfDay(now, timeZone) - minutesOf(from) + dayMinutes) % dayMinutes;
  const length = (minutesOf(to) - minutesOf(from) + dayMinutes) % dayMinutes;
  if (sinceBegin >= length) return undefined;
  return { startedAt: (minute - sinceBegin) * minuteMs, endsAt: (minute + length - sinceBegin) * minuteMs };
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function minuteOfDay(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return minutesOf(format.format(at));
}

/** Whether `name` is an IANA time zone. Offsets such as "+01:00" are refused: they have no daylight saving time. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
