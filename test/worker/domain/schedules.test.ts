import { expect, test } from 'vitest';
import { dueOccurrence, nextOccurrence } from '../../../worker/domain/schedules.ts';

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
