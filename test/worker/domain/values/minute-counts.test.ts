import { expect, test } from 'vitest';
import { MinuteCounts, secondsToNextMinute } from '../../../../worker/domain/values/minute-counts.ts';

test('counts are of the current minute alone, each name by itself', () => {
  const counts = new MinuteCounts();
  expect([counts.add('a', 0), counts.add('a', 59_999), counts.add('b', 59_999)]).toEqual([1, 2, 1]);
  expect([counts.of('a', 59_999), counts.of('c', 59_999)]).toEqual([2, 0]);
  expect([counts.of('a', 60_000), counts.isEmpty(60_000), counts.add('a', 60_000)]).toEqual([0, true, 1]);
});

test('a flood of names takes no more memory: those beyond share one count, and known ones keep theirs', () => {
  const counts = new MinuteCounts();
  for (let name = 0; name < 20_000; name++) counts.add(`n${name}`, 0);
  expect([counts.add('late', 0), counts.add('later', 0), counts.of('latest', 0)]).toEqual([1, 2, 2]);
  expect(counts.add('n7', 0)).toBe(2);
});

test('the time to wait is never 0 and never more than a minute', () => {
  expect([0, 1, 59_001, 59_999].map(secondsToNextMinute)).toEqual([60, 60, 1, 1]);
});
