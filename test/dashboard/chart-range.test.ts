/** The time of charts: in the address, in requests, and its round times. */
import { expect, test } from 'vitest';
import { parametersOf, periodOf, rangeOf, timeTicks } from '../../dashboard/ui/chart/chart-range.ts';

const noon = Date.parse('2026-11-30T12:00:00Z');
const hour = 3_600_000;

test('an address without a time, or with one that is none, shows the last hour', () => {
  for (const address of [
    {},
    { range: 'year' },
    { range: '__proto__' },
    { from: 'x', to: 'y' },
    { from: '2026-01-02T00:00:00Z' },
  ])
    expect(rangeOf(address)).toEqual({ last: 'hour' });
  expect(rangeOf({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' })).toEqual({ last: 'hour' });
});

test('a range survives the way through the address', () => {
  for (const range of [{ last: 'hour' }, { last: 'month' }, { from: noon - hour, to: noon }] as const)
    expect(rangeOf(parametersOf(range))).toEqual(range);
});

test('a request has steps that hosts store, and no more points than a chart', () => {
  for (const last of ['minutes', 'hour', 'hours', 'day', 'week', 'month'] as const) {
    const { from, to, step } = periodOf({ last }, noon, 360);
    expect((Date.parse(to) - Date.parse(from)) / 1_000 / step).toBeLessThanOrEqual(361);
    expect(step % (step < 300 ? 10 : 300)).toBe(0);
  }
  expect(periodOf({ from: noon - 50 * hour, to: noon - 49 * hour }, noon, 360).step).toBe(300);
  expect(periodOf({ from: noon + hour, to: noon + 2 * hour }, noon, 360).to).toBe('2026-11-30T12:00:00.000Z');
});

test('times below a chart are round in the zone of the device, and at most six', () => {
  expect(timeTicks(noon - hour, noon, 0).map((at) => new Date(at).toISOString().slice(11, 16))).toEqual([
    ...['11:00', '11:15', '11:30', '11:45', '12:00'],
  ]);
  expect(
    timeTicks(noon - 24 * hour, noon, 5.5 * hour).every((at) => (at + 5.5 * hour) % (6 * hour) === 0),
  ).toBe(true);
  for (const hours of [0.01, 0.25, 3, 30, 400, 720])
    expect(timeTicks(noon - hours * hour, noon, 0).length).toBeLessThanOrEqual(6);
});
