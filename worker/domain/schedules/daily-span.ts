/** A span of each day in a time zone, such as quiet hours and the window in which hosts are upgraded. */
import { z } from 'zod';
import { isTimeZone } from './schedules.ts';

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

/**
 * The span in which `now` lies. On the night in which clocks change its bounds can be an hour off.
 * @param now epoch milliseconds
 * @returns its bounds in epoch milliseconds, whole minutes; undefined: `now` is outside
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
