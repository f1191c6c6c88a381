/** Describes the times of a cron expression in English, for people who rarely read cron. */
import { toString as describe } from 'cronstrue';

/**
 * @param cron an expression that `schedules.ts` accepts
 * @returns such as `At 03:00, Monday through Friday`; null if the expression has no description
 */
export function cronInWords(cron: string): string | null {
  try {
    // If both days are set, one match is enough, but the library writes "and" before the second day, and nothing before a range.
    const words = describe(withEachDayOnce(cron), { use24HourTimeFormat: true });
    return words.replace(', and on ', ', or on ').replace(/( of the month), (?=\w+day through )/, '$1, or ');
  } catch {
    // Rare forms that only croner can parse.
    return null;
  }
}

const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Sunday is 0 and 7: in a list or range with both, the library would write Sunday twice. */
function withEachDayOnce(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  const days = (fields[4] ?? '').split(',').flatMap(daysOf);
  const once = new Set(days.map((day) => day % 7));
  if (days.length === once.size || days.some(Number.isNaN)) return cron;
  return [...fields.slice(0, 4), once.size === 7 ? '0-6' : [...once].join(',')].join(' ');
}

/** @param part a day or a range of days @returns NaN for other forms, such as steps */
function daysOf(part: string): number[] {
  const [first = '', last = first] = part.split('-');
  const [from, to] = [first, last].map((text) => {
    const named = dayNames.indexOf(text.toUpperCase());
    return named >= 0 ? named : /^[0-7]$/.test(text) ? Number(text) : Number.NaN;
  });
  if (from === undefined || to === undefined || !(from <= to)) return [Number.NaN];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
