import { expect, test } from 'vitest';
import { linePath, roundEnd, singlePoints, valueText } from '../../dashboard/ui/plot.ts';

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
