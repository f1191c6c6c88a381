import { expect, test } from 'vitest';
import { chosenLines, timeOf } from '../../../cli/deployments/chosen-lines.ts';

test('a time is so long ago, or a date; anything else is refused', () => {
  const now = Date.parse('2026-11-24T12:00:00Z');
  expect(timeOf('90s', now).toISOString()).toBe('2026-11-24T11:58:30.000Z');
  expect(timeOf('2d', now).toISOString()).toBe('2026-11-22T12:00:00.000Z');
  expect(timeOf('2026-11-24T10:00Z').toISOString()).toBe('2026-11-24T10:00:00.000Z');
  for (const wrong of ['yesterday', '10', '5w', '2026-13-45', ''])
    expect(() => timeOf(wrong)).toThrow('is not a time');
});

test('search and time choose first, and the count takes the last of those', () => {
  const entries = [1, 2, 3, 4].map((n) => ({
    line: n === 4 ? '\u001b[31mother\u001b[0m' : `line ${n}`,
    stream: 'stdout',
    createdAt: `2026-11-24T10:00:0${n}Z`,
  }));
  const shown = (choice: Parameters<typeof chosenLines>[1]) =>
    chosenLines(entries, choice).map(({ line }) => line);
  expect(shown({ search: 'line', lines: 2 })).toEqual(['line 2', 'line 3']);
  expect(shown({ since: new Date('2026-11-24T10:00:03Z'), search: 'line' })).toEqual(['line 3']);
  expect(shown({ until: new Date('2026-11-24T10:00:03Z'), lines: 1 })).toEqual(['line 2']);
  expect(shown({ search: 'other' })).toHaveLength(1);
  expect(shown({ lines: 0 })).toEqual([]);
});
