import { expect, test } from 'vitest';
import { healthOf, isWorse } from '../../dashboard/pages/service/deployment/health-around.ts';

const from = '2026-11-30T10:00:00.000Z';
const liveAt = Date.parse('2026-11-30T10:02:00.000Z');
const measured = (requests: (number | null)[], errors: (number | null)[], p99: (number | null)[]) => ({
  ...{ from, stepSeconds: 60 },
  series: [
    { name: 'requests', unit: '1/s', average: requests },
    { name: 'errors', unit: '1/s', average: errors },
    { name: 'latencyP99', unit: 'ms', average: p99 },
  ],
});

test('health is the mean of the minutes before and after a version went live', () => {
  const health = healthOf(measured([1, 3, 4, null], [0, 0, 1, null], [80, 120, 400, null]), liveAt);
  expect(health).toEqual({
    before: { requests: 120, errors: 0, p99: 100 },
    after: { requests: 240, errors: 25, p99: 400 },
  });
});

test('a version without requests before or after has no health to compare', () => {
  expect(healthOf(measured([null, null, 4, 4], [], []), liveAt)).toBe(undefined);
  expect(healthOf(measured([1, 1, null, null], [], []), liveAt)).toBe(undefined);
});

const usual = { requests: 60, errors: 0.2, p99: 100 };

test.each([
  ['more requests fail', { ...usual, errors: 1.3 }, true],
  ['the slowest answers take much longer', { ...usual, p99: 190 }, true],
  ['the slowest answers take a little longer', { ...usual, p99: 130 }, false],
  ['there are fewer requests', { ...usual, requests: 3 }, false],
  ['nothing is slow that was measured', { ...usual, p99: null }, false],
])('a version is worse only if it fails more or is clearly slower: %s', (_, after, expected) => {
  expect(isWorse({ before: usual, after })).toBe(expected);
});

test('some milliseconds more are not worse, even if they are a multiple', () => {
  expect(isWorse({ before: { ...usual, p99: 4 }, after: { ...usual, p99: 12 } })).toBe(false);
});
