/** Which chart fits the rows of a statement. */
import { expect, test } from 'vitest';
import { chartOf } from '../../dashboard/pages/service/database/query/result-chart.ts';

const columns = (...names: string[]) => names.map((name) => ({ name }));

test('names with numbers are bars, and exact numbers that come as texts are drawn too', () => {
  const rows = [
    { country: 'DE', total: '12345678901234567890.5', orders: 3 },
    { country: 'FR', total: '1', orders: null },
  ];
  expect(chartOf(columns('country', 'total', 'orders'), rows)).toEqual({
    kind: 'bars',
    labels: ['DE', 'FR'],
    series: [
      { name: 'total', values: [Number('12345678901234567890.5'), 1] },
      { name: 'orders', values: [3, null] },
    ],
  });
});

test('many rows are lines over the first column without numbers', () => {
  const rows = Array.from({ length: 90 }, (_, n) => ({ day: `2026-01-${n}`, n }));
  expect(chartOf(columns('day', 'n'), rows)).toMatchObject({ kind: 'lines', series: [{ name: 'n' }] });
});

test('numbers alone are lines over the first of them, or over the number of the row', () => {
  const two = [1, 2].map((x) => ({ x, y: x * x }));
  expect(chartOf(columns('x', 'y'), two)).toMatchObject({
    labels: ['1', '2'],
    series: [{ name: 'y', values: [1, 4] }],
  });
  const one = [5, 6].map((y) => ({ y }));
  expect(chartOf(columns('y'), one)).toMatchObject({
    labels: ['1', '2'],
    series: [{ name: 'y', values: [5, 6] }],
  });
});

test('rows without numbers, and a single row, have no chart', () => {
  expect(chartOf(columns('name'), [{ name: 'a' }, { name: 'b' }])).toBeUndefined();
  expect(chartOf(columns('n'), [{ n: 1 }])).toBeUndefined();
  expect(chartOf(columns('n'), [{ n: null }, { n: null }])).toBeUndefined();
});
