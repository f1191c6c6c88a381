import { expect, test } from 'vitest';
import { isBudgetLow, paceMsOf } from '../../../../worker/domain/logs/log-pace.ts';

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
