/** The lines between boxes of a drawing. */
import { expect, test } from 'vitest';
import { besideSources, columnsOf, lineBetween } from '../../dashboard/ui/drawing/box-lines.ts';

const app = { left: 0, top: 0, width: 200, height: 60 };

test('a line leads from the right side of a box to the left side of a box of another column', () => {
  expect(lineBetween(app, { left: 300, top: 100, width: 200, height: 40 })).toBe(
    'M200 30C250 30 250 120 300 120',
  );
});

test('a line to a box of the same column goes around the right side and crosses no box between', () => {
  const path = lineBetween(app, { ...app, top: 200 });
  expect(path).toBe('M200 30C228 30 228 230 200 230');
  const xs = [...path.matchAll(/(\d+) \d+/g)].map(([, x]) => Number(x));
  expect(Math.min(...xs)).toBeGreaterThanOrEqual(app.left + app.width);
});

test('databases stand beside the apps that refer to them, and those without references come last', () => {
  const edges = [
    { from: 'web', to: 'orders' },
    { from: 'mailer', to: 'cache' },
    { from: 'web', to: 'sessions' },
    { from: 'mailer', to: 'sessions' },
  ];
  expect(besideSources(['alone', 'cache', 'sessions', 'orders'], ['web', 'mailer'], edges)).toEqual([
    'orders',
    'sessions',
    'cache',
    'alone',
  ]);
});

test('a box stands in a column after all boxes that point to it, also around a circle and to itself', () => {
  const chain = [
    { from: 'lines', to: 'orders' },
    { from: 'orders', to: 'customers' },
    { from: 'lines', to: 'customers' },
    { from: 'customers', to: 'customers' },
  ];
  expect(columnsOf(['customers', 'orders', 'lines'], chain)).toEqual([['lines'], ['orders'], ['customers']]);
  const circle = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ];
  expect(columnsOf(['a', 'b'], circle).flat().sort()).toEqual(['a', 'b']);
});
