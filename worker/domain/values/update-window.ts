/** When new digests of an image may deploy by themselves: the setting `imageUpdates`, as text. */
import { allDays, isTimeZone, type WeeklySpan, weeklySpanAt } from './daily-span.ts';

/** `always`, or `<days> <from>-<to> <time zone>`. */
export type UpdateWindow = 'always' | WeeklySpan;

export const windowRule =
  'must be "always", or days, times and a time zone, such as "daily 03:00-05:00 UTC" or "sat,sun 23:00-02:00 Europe/Berlin"';

const pattern =
  /^(daily|[a-z]{3}(?:,[a-z]{3})*) ((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d) (\S{1,64})$/;

/** The window that a text describes; undefined if it describes none. A window that ends before it begins ends on the next day. */
export function updateWindowOf(text: string): UpdateWindow | undefined {
  if (text === 'always') return text;
  const [, days = '', from = '', to = '', timeZone = ''] = pattern.exec(text) ?? [];
  const named = days === 'daily' ? allDays : allDays.filter((day) => days.split(',').includes(day));
  const isWhole = days === 'daily' || named.length === days.split(',').length;
  if (!isWhole || from === to || !isTimeZone(timeZone)) return undefined;
  return { days: named, from, to, timeZone };
}

/** How long an update may take without a window that ends. */
const alwaysMs = 6 * 3_600_000;

/** @returns the end of the window that is open now, in epoch milliseconds; undefined if none is */
export const openUntil = (window: UpdateWindow, now: number): number | undefined =>
  window === 'always' ? now + alwaysMs : weeklySpanAt(window, now)?.endsAt;
