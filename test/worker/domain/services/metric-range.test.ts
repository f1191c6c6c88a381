import { expect, test } from 'vitest';
import { metricRange } from '../../../../worker/domain/services/metric-range.ts';

const now = Date.parse('2026-11-24T12:00:00Z');
const hour = 3_600_000;
const day = 24 * hour;

test('without a range, the last hour is read in steps of ten seconds', () => {
  expect(metricRange({}, now)).toEqual({ from: now - hour, stepSeconds: 10, points: 360 });
});

test.each([
  ['an hour', hour, 10],
  ['six hours', 6 * hour, 60],
  ['a day', day, 300],
  ['two weeks', 14 * day, 3_600],
  ['a month', 30 * day, 10_800],
  ['ten years', 3_650 * day, 86_400],
])('%s gets a step that fits a chart, or is refused', (_, length, step) => {
  const ask = () => metricRange({ from: now - length }, now);
  if (length > 1_500 * day) expect(ask).toThrow('at most 1500 steps');
  else expect(ask().stepSeconds).toBe(step);
});

test('steps are aligned to the clock and cover the whole range, and the future is cut off', () => {
  const range = metricRange({ from: now - hour - 1_234, to: now + day, stepSeconds: 600 }, now);
  expect(range).toEqual({ from: now - hour - 600_000, stepSeconds: 600, points: 7 });
});

test.each([
  ['an empty time', { from: now, to: now }, '"from" must be a time before "to"'],
  ['a time after its end', { from: now, to: now - hour }, '"from" must be a time before "to"'],
  ['a time before 1970', { from: -hour, to: 0 }, '"from" must not be before 1970'],
  ['the future', { from: now + hour, to: now + 2 * hour }, 'before now'],
  [
    'more steps than an answer has',
    { from: now - 5 * hour, stepSeconds: 10 },
    'at most 1500 steps, and these are 1800',
  ],
  [
    'a step that is not kept so long',
    { from: now - 2 * day, stepSeconds: 60 },
    'give a "step" of 300 or more',
  ],
  ['an odd step', { stepSeconds: 15 }, 'multiple of 10 below 300'],
  ['an odd long step', { stepSeconds: 310 }, 'of 300 above'],
])('%s is refused with the way out', (_, asked, sentence) => {
  expect(() => metricRange(asked, now)).toThrow(sentence);
});
