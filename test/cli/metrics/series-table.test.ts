import { expect, test } from 'vitest';
import { amount, curve, seriesRows } from '../../../cli/metrics/series-table.ts';

test('a series is shown with its last value, mean, peak and limit; one without values is not', () => {
  const series = [
    {
      name: 'memory',
      unit: 'bytes',
      average: [null, 2 ** 20, 3 * 2 ** 20, null],
      maximum: [null, 2 ** 20, 2 ** 22, null],
    },
    { name: 'restarts', unit: 'restarts', average: [0, 2, 1, 0], maximum: [0, 2, 1, 0] },
    { name: 'connections', unit: 'connections', average: [null, null], maximum: [null, null] },
  ];
  expect(seriesRows(series, { memory: 2 ** 23 })).toEqual([
    ['memory', '3.00 MiB', '2.00 MiB', '4.00 MiB of 8.00 MiB', ' ▃█ '],
    ['restarts', '0', '3 in all', '2', '▁█▅▁'],
  ]);
});

test('values are short and have their unit', () => {
  const shown = [
    amount(0, 'cores'),
    amount(0.01234, 'cores'),
    amount(1234.6, 'ms'),
    amount(12.34, 'requests/s'),
    amount(2048, 'bytes/s'),
  ];
  expect(shown).toEqual(['0 cores', '0.0123 cores', '1235 ms', '12.3/s', '2.00 KiB/s']);
});

test('a curve of many values shows the peak of each part, and gaps stay gaps', () => {
  const values = Array.from({ length: 400 }, (_, at) => (at === 399 ? 10 : at < 200 ? null : 0));
  expect(curve(values, 4)).toBe('  ▁█');
  expect(curve([0, 0])).toBe('▁▁');
});
