import { expect, test } from 'vitest';
import { cronInWords } from '../../../../worker/domain/commands/cron-in-words.ts';
import {
  dueOccurrence,
  nextOccurrence,
  nextOccurrences,
  timingSchema,
} from '../../../../worker/domain/commands/schedules.ts';

const berlin = (cron: string) => ({ cron, timeZone: 'Europe/Berlin' });
const after = (cron: string, from: string, count: number) => {
  const found: string[] = [];
  let at = Date.parse(from);
  for (; found.length < count; found.push(new Date(at).toISOString()))
    at = nextOccurrence(berlin(cron), at) ?? 0;
  return found;
};

test('a time in the hour that the clock skips comes at the end of that hour', () => {
  expect(after('30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('a time in the hour that the clock repeats comes once, and an interval in both', () => {
  expect(after('30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  expect(after('0 * * * *', '2026-10-24T23:30:00Z', 3)).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ]);
});

test('of several missed occurrences the newest is due, and the others are counted, up to a thousand', () => {
  const first = Date.parse('2026-11-23T00:00:00Z');
  const hourMs = 3_600_000;
  const hourly = { cron: '0 * * * *', timeZone: 'UTC' };
  expect(dueOccurrence(hourly, first, first)).toEqual({ dueAt: first, missed: 0 });
  expect(dueOccurrence(hourly, first, first + 5.5 * hourMs)).toEqual({
    dueAt: first + 5 * hourMs,
    missed: 5,
  });
  const minutely = { cron: '* * * * *', timeZone: 'UTC' };
  expect(dueOccurrence(minutely, first, first + 24 * hourMs)).toEqual({
    dueAt: first + 24 * hourMs,
    missed: 1_000,
  });
});

test.each([
  ['0 3 * * 1-5', 'At 03:00, Monday through Friday'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['0 0 L * *', 'At 00:00, on the last day of the month'],
  ['0 0 1 * MON', 'At 00:00, on day 1 of the month, or on Monday'],
  ['0 3 * * 0,7', 'At 03:00, only on Sunday'],
  ['0 3 * * SUN,6,7', 'At 03:00, only on Sunday and Saturday'],
  ['0 3 * * 0,5-7', 'At 03:00, only on Sunday, Friday, and Saturday'],
  ['0 0 1 * 0-7', 'At 00:00, on day 1 of the month, or Sunday through Saturday'],
  ['0 0 1 * 1-5', 'At 00:00, on day 1 of the month, or Monday through Friday'],
  ['30 2 * JAN,JUL *', 'At 02:30, only in January and July'],
])('%s is said in words', (cron, words) => {
  expect(cronInWords(cron)).toBe(words);
});

test('an expression that has no words is a schedule all the same', () => {
  const cron = '0 0 * * 5#L';
  expect(timingSchema.safeParse({ cron }).success).toBe(true);
  expect(cronInWords(cron)).toBeNull();
});

test('either of two days is enough, as the words say', () => {
  const days = nextOccurrences(
    { cron: '0 0 1 * MON', timeZone: 'UTC' },
    Date.parse('2026-11-26T00:00:00Z'),
    3,
  );
  expect(days.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([
    '2026-11-30',
    '2026-12-01',
    '2026-12-07',
  ]);
});
