import { expect, test } from 'vitest';
import {
  areaPath,
  axisTo,
  linePath,
  logAxis,
  roundEnd,
  scaleTo,
  singlePoints,
  valueText,
} from '../../dashboard/ui/plot.ts';

test('a line is interrupted where nothing is known, and a single value is a dot beside it', () => {
  expect(linePath([0, 5, null, 10, null], 10)).toBe('M0.0 100.00L250.0 50.00');
  expect(singlePoints([0, 5, null, 10, null], 10)).toBe('M750.0 0.00L750.0 0.00');
});

test('a scale ends at a round value: of bytes in steps of 1,024', () => {
  expect([0.03, 0.9, 7, 23, 100].map((value) => roundEnd(value, 'cores'))).toEqual([0.05, 1, 10, 50, 100]);
  expect(roundEnd(39 * 1024 ** 2, 'bytes')).toBe(50 * 1024 ** 2);
  expect(roundEnd(0, 'ms')).toBe(1);
});

test('small and large values are short and never shown as nothing', () => {
  expect([0.0034, 0.256, 3.456, 1234.56].map((value) => valueText(value, 'cores'))).toEqual([
    '0.0034 cores',
    '0.26 cores',
    '3.46 cores',
    '1,234.6 cores',
  ]);
  expect([valueText(null, 'ms'), valueText(12.3, 'ms'), valueText(2048, 'bytes/s')]).toEqual([
    '–',
    '12 ms',
    '2.0 KB/s',
  ]);
});

test('an axis has round values from 0 to above the highest, at least two and at most six', () => {
  expect(axisTo(7, 'requests/s').ticks).toEqual([0, 2, 4, 6, 8]);
  expect(axisTo(100, '%').ticks).toEqual([0, 25, 50, 75, 100]);
  expect(axisTo(39 * 1024 ** 2, 'bytes').ticks).toEqual([0, 10, 20, 30, 40].map((one) => one * 1024 ** 2));
  expect(axisTo(0, 'ms').ticks).toEqual([0, 0.25, 0.5, 0.75, 1]);
  for (let highest = 0.001; highest < 1e7; highest *= 1.37) {
    const { ticks, scale } = axisTo(highest, 'requests/s');
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(scale(highest)).toBeLessThanOrEqual(1.001);
    expect(scale(highest)).toBeGreaterThan(0.5);
  }
});

test('a logarithmic axis holds the lowest and the highest value between powers of ten', () => {
  const { ticks, scale } = logAxis(3, 900);
  expect(ticks).toEqual([1, 10, 100, 1000]);
  expect([scale(1), scale(1000), scale(0)]).toEqual([0, 1, 0]);
  expect(logAxis(5, 5).ticks).toEqual([1, 10]);
});

test('an area follows its upper line forth and its lower line back', () => {
  expect(areaPath([0, 5], [5, 10], scaleTo(10))).toBe('M0.0 50.00L1000.0 0.00L1000.0 50.00L0.0 100.00Z');
});
