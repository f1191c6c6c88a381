import type { QuietHours } from './channel-fields.ts';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * When the quiet hours end in which `now` lies. On the night in which clocks change the end can be an hour off; a moment that is still quiet
 * then is looked at again.
 * @param now epoch milliseconds
 * @returns epoch milliseconds, a whole minute; undefined: it is not quiet
 */
export function endOfQuiet({ from, to, timeZone }: QuietHours, now: number): number | undefined {
  const minute = minuteOfDay(now, timeZone);
  const sinceBegin = (minute - minutesOf(from) + dayMinutes) % dayMinutes;
  const length = (minutesOf(to) - minutesOf(from) + dayMinutes) % dayMinutes;
  if (sinceBegin >= length) return undefined;
  return (Math.floor(now / minuteMs) + length - sinceBegin) * minuteMs;
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
