import { expect, test } from 'vitest';
import {
  doublingsAfter,
  isBudgetLow,
  messageIntervalMs,
  paceMsOf,
} from '../../../../worker/domain/logs/log-pace.ts';

test.each([
  [0, 250, false],
  [49_999, 250, false],
  [50_000, 1_000, false],
  [79_999, 1_000, false],
  [80_000, 5_000, true],
  [200_000, 5_000, true],
])('with %i of 100,000 requests used, lines come every %i ms', (used, paceMs, isLow) => {
  expect(paceMsOf({ used, budget: 100_000 })).toBe(paceMs);
  expect(isBudgetLow({ used, budget: 100_000 })).toBe(isLow);
});

test('without a budget lines come as usual, however many requests were counted', () => {
  expect(paceMsOf({ used: 1e9, budget: null })).toBe(250);
});

test.each([
  [1, 0, 0.5],
  [100, 0, 50],
  [200, 0, 100],
  [4, 2, 400],
  [200, 2, 400],
  [200, 9, 1_000],
])('each of %i readers gets messages, after %i doublings, every %d ms', (readers, doublings, ms) => {
  expect(messageIntervalMs(readers, doublings)).toBe(ms);
});

test('the interval grows while more than a quarter of the readers is behind, and shrinks when none is', () => {
  expect(doublingsAfter(0, 26, 100)).toBe(1);
  expect(doublingsAfter(1, 25, 100)).toBe(1);
  expect(doublingsAfter(1, 0, 100)).toBe(0);
  expect(doublingsAfter(0, 0, 100)).toBe(0);
  let doublings = 0;
  for (let time = 0; time < 50; time++) doublings = doublingsAfter(doublings, 100, 100);
  expect(messageIntervalMs(100, doublings)).toBe(1_000);
});

test('a single reader that is slow changes nothing for itself', () => {
  expect(doublingsAfter(0, 1, 1)).toBe(0);
});
