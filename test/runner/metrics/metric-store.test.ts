/** What the host keeps of its services, and how it is joined into the steps of an answer. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type SeriesName, seriesNames } from '../../../protocol/metrics/series.ts';
import type { Values } from '../../../runner/metrics/fields.ts';
import { Histogram } from '../../../runner/metrics/histogram.ts';
import { packNumber, unpackNumber } from '../../../runner/metrics/log-number.ts';
import { MetricStore, type Sample } from '../../../runner/metrics/metric-store.ts';
import { RingFile } from '../../../runner/metrics/ring-file.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

/** A multiple of a day. */
const start = 1_789_948_800_000;
const minute = 60_000;
const hour = 60 * minute;
const web = 'svc_aaaaaaaaaaaaaaaa';
const other = 'svc_bbbbbbbbbbbbbbbb';

function open(directory = temporaryDirectory()): MetricStore {
  const store = new MetricStore(directory);
  onTestFinished(() => store.close());
  return store;
}

const samples = (of: Record<string, Values>, durations?: Histogram): Map<string, Sample> =>
  new Map(
    Object.entries(of).map(([key, values]) => [key, durations ? { values, durations } : { values }] as const),
  );

const fill = (store: MetricStore, from: number, to: number, of: (at: number) => Record<string, Values>) => {
  for (let at = from; at < to; at += 10_000) store.record(at, samples(of(at)));
};

function averages(
  store: MetricStore,
  key: string,
  name: SeriesName,
  [from, step, points]: number[],
  now: number,
) {
  const wanted = { from: from ?? 0, stepSeconds: step ?? 10, points: points ?? 1, series: [name] };
  return store.read(key, wanted, now)?.series[0]?.average;
}

test('values keep three digits, zero and small whole numbers exactly, and an unknown value is none', () => {
  for (const value of [0, 1, 7, 100, 0.001, 1.5, 123_456, 8 * 2 ** 30]) {
    const back = unpackNumber(packNumber(value, 1_000), 1_000) ?? -1;
    expect(Math.abs(back - value)).toBeLessThanOrEqual(value * 0.0005);
  }
  expect(unpackNumber(packNumber(10 ** 13, 1), 1)).toBeCloseTo(10 ** 13, -11);
  expect(unpackNumber(packNumber(3, 1), 1)).toBeCloseTo(3, 2);
  expect([null, undefined, Number.NaN].map((value) => unpackNumber(packNumber(value, 1), 1))).toEqual([
    null,
    null,
    null,
  ]);
});

test('the last day is kept in steps of ten seconds, 30 days in steps of five minutes with their peaks', () => {
  const store = open();
  fill(store, start, start + 21 * minute, (at) => ({
    [web]: { cpu: at === start + 30_000 ? 2 : 0.5, restarts: 1 },
  }));
  const now = start + 21 * minute;
  expect(averages(store, web, 'cpu', [start, 10, 5], now)).toEqual([0.5, 0.5, 0.5, 2, 0.5]);
  const coarse = store.read(
    web,
    { from: start, stepSeconds: 300, points: 4, series: ['cpu', 'restarts'] },
    now,
  );
  expect(coarse?.series).toEqual([
    { name: 'cpu', average: [0.55, 0.5, 0.5, 0.5], maximum: [2, 0.5, 0.5, 0.5] },
    { name: 'restarts', average: [30, 30, 30, 30], maximum: [30, 30, 30, 30] },
  ]);
  expect(coarse?.lastAt).toBe(now - 10_000);
  // The same by steps that hold several stored ones.
  expect(averages(store, web, 'restarts', [start, 60, 3], now)).toEqual([6, 6, 6]);
});

test('values of several services are read together, each from the time since when its place in the file is its own', () => {
  const store = open();
  fill(store, start, start + minute, () => ({ [web]: { requests: 2 }, host: { requests: 3 } }));
  fill(store, start + minute, start + 2 * minute, () => ({
    [web]: { requests: 2 },
    [other]: { requests: 1 },
  }));
  const wanted = { from: start, stepSeconds: 60, points: 2, series: ['requests' as const] };
  const read = store.readMany([other, 'svc_cccccccccccccccc', web], wanted, start + 2 * minute);
  expect(read.map(({ key, series }) => [key, series[0]?.average])).toEqual([
    [other, [null, 1]],
    [web, [2, 2]],
  ]);
});

test('a percentile of five minutes is that of all its requests, not the mean of percentiles', () => {
  const store = open();
  const fast = new Histogram();
  for (let n = 0; n < 990; n++) fast.add(10);
  const slow = new Histogram();
  slow.add(1_000);
  store.record(start, samples({ [web]: { requests: 99, latencyP99: 10 } }, fast));
  store.record(start + 10_000, samples({ [web]: { requests: 0.1, latencyP99: 1_000 } }, slow));
  store.record(start + 6 * minute, samples({}));
  const read = store.read(
    web,
    { from: start, stepSeconds: 300, points: 1, series: ['latencyP99'] },
    start + hour,
  );
  const [series] = read?.series ?? [];
  expect(series?.average[0]).toBeGreaterThan(9.5);
  expect(series?.average[0]).toBeLessThan(10.5);
  expect(series?.maximum).toEqual([1_000]);
});

test('values outlive the process, and a crash costs at most the last minute of an unfinished five minutes', () => {
  const directory = temporaryDirectory();
  fill(open(directory), start, start + 9 * minute, () => ({ [web]: { memory: 5e6 } }));
  const next = open(directory);
  expect(averages(next, web, 'memory', [start, 300, 2], start + 9 * minute)).toEqual([
    expect.closeTo(5e6, -4),
    expect.closeTo(5e6, -4),
  ]);
  const wanted = { from: start, stepSeconds: 10, points: 60, series: ['memory' as const] };
  expect(next.read(web, wanted, start + 9 * minute)?.lastAt).toBe(start + 9 * minute - 10_000);
});

test('files of the release before are carried over, and hold 30 days from then on', () => {
  const directory = temporaryDirectory();
  const before = new MetricStore(directory);
  before.record(start, samples({ [web]: { cpu: 1 }, [other]: { cpu: 1 } }));
  before.close();
  // As version 1 wrote them: fourteen and nineteen values of each column, coarse ones for two weeks.
  const place = (column: number, fields: number, at: number) => column * fields + at;
  for (const [name, places, fields, step] of [
    ['fine.ring', 8_640, 14, start / 10_000],
    ['coarse.ring', 4_032, 19, start / 300_000],
  ] as const) {
    const path = join(directory, name);
    rmSync(path);
    const ring = RingFile.open(path, { places, columns: 4, fields });
    const packed = new Uint16Array(4 * fields);
    packed[place(0, fields, 0)] = packNumber(1.5, 10_000);
    packed[place(1, fields, 7)] = packNumber(20, 1_000);
    packed[place(1, fields, 13)] = packNumber(3, 1);
    if (fields === 19) packed[place(1, fields, 18)] = packNumber(9, 1);
    for (let at = 0; at < 6; at++) ring.write(step + at, packed);
    ring.close();
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(1, 4);
    writeFileSync(path, bytes);
  }
  const store = open(directory);
  const series = ['requests', 'outOfMemory', 'latencyP95', 'connections'] as const;
  const of = (stepSeconds: number, key: string, names: readonly SeriesName[], now: number) =>
    store
      .read(key, { from: start, stepSeconds, points: 2, series: names }, now)
      ?.series.map((one) => one.average);
  const now = start + minute;
  expect(of(10, web, ['cpu'], now)).toEqual([[1.5, 1.5]]);
  for (const step of [10, 300])
    expect(of(step, other, series, now)).toEqual([
      [20, 20],
      [3, 3],
      [null, null],
      [null, null],
    ]);
  const peaks = store.read(other, { from: start, stepSeconds: 300, points: 1, series: ['requests'] }, now);
  expect(peaks?.series[0]?.average).toEqual([20]);
  store.record(start + 29 * 24 * hour, samples({ [other]: { requests: 5, latencyP95: 80 } }));
  expect(of(300, other, ['requests'], start + 29 * 24 * hour)).toEqual([[20, 20]]);
});

test('a host that gets more services keeps what it had', () => {
  const store = open();
  const many = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`svc_${String(n).padStart(16, '0')}`, { cpu: n + 1 }]),
    );
  fill(store, start, start + minute, () => many(3));
  fill(store, start + minute, start + 2 * minute, () => many(30));
  const at = (n: number, from: number) =>
    averages(store, `svc_${String(n).padStart(16, '0')}`, 'cpu', [from, 10, 2], start + 3 * minute);
  expect(at(2, start)).toEqual([3, 3]);
  expect(at(29, start)).toEqual([null, null]);
  expect(at(29, start + minute)).toEqual([30, 30]);
});

test('a service never sees what was measured of the one whose place in the file it got', () => {
  const directory = temporaryDirectory();
  const store = open(directory);
  // More services come and go than the file keeps places for.
  const key = (n: number) => `svc_${String(n).padStart(16, 'x')}`;
  for (let n = 0; n < 60; n++) {
    fill(store, start + n * minute, start + (n + 1) * minute, () => ({
      [web]: { cpu: 1 },
      [key(n)]: { memory: n + 1 },
    }));
  }
  const now = start + hour;
  for (let n = 0; n < 60; n++) {
    const read = store.read(key(n), { from: start, stepSeconds: 10, points: 360, series: ['memory'] }, now);
    const seen = new Set(read?.series[0]?.average.filter((value) => value !== null));
    expect(
      [...seen].every((value) => value === n + 1),
      `service ${n} sees ${[...seen]}`,
    ).toBe(true);
  }
  expect(
    store.read(key(0), { from: start, stepSeconds: 10, points: 6, series: ['memory'] }, now),
  ).toBeUndefined();
  expect(averages(store, web, 'cpu', [start, 300, 12], now)).toEqual(new Array(12).fill(1));
});

test('files that are no files of metrics are started anew, and nothing is read of what they held', () => {
  const directory = temporaryDirectory();
  fill(open(directory), start, start + minute, () => ({ [web]: { cpu: 1 }, [other]: { cpu: 2 } }));
  for (const name of readdirSync(directory)) writeFileSync(join(directory, name), 'x'.repeat(10_000));
  const next = open(directory);
  fill(next, start + minute, start + 2 * minute, () => ({ [web]: { cpu: 3 } }));
  expect(averages(next, web, 'cpu', [start, 10, 12], start + 2 * minute)).toEqual([
    ...new Array(6).fill(null),
    ...new Array(6).fill(3),
  ]);
  expect(
    next.read(other, { from: start, stepSeconds: 10, points: 6, series: ['cpu'] }, start + 2 * minute),
  ).toBeUndefined();
});

test('a lost table of columns gives no service the values of another', () => {
  const directory = temporaryDirectory();
  fill(open(directory), start, start + minute, () => ({ [web]: { cpu: 1 }, [other]: { cpu: 2 } }));
  writeFileSync(join(directory, 'columns.json'), '{');
  const next = open(directory);
  fill(next, start + minute, start + 2 * minute, () => ({ [other]: { cpu: 3 } }));
  expect(averages(next, other, 'cpu', [start, 10, 12], start + 2 * minute)).toEqual([
    ...new Array(6).fill(null),
    ...new Array(6).fill(3),
  ]);
});

test('a time far from all that is kept is answered with nothing, quickly', () => {
  const store = open();
  fill(store, start, start + minute, () => ({ [web]: { cpu: 1 } }));
  for (const from of [0, start + 10_000 * hour, 8e15 - (8e15 % 86_400_000)]) {
    const read = store.read(
      web,
      { from, stepSeconds: 86_400, points: 1_500, series: [...seriesNames] },
      start + minute,
    );
    const known = read?.series.flatMap(({ average }) => average).filter((value) => value !== null) ?? [];
    expect(known.length).toBeLessThanOrEqual(1);
  }
});

test('a clock that was set back loses nothing but the time that it repeats', () => {
  const store = open();
  fill(store, start, start + 2 * minute, () => ({ [web]: { cpu: 1 } }));
  fill(store, start + minute, start + 3 * minute, () => ({ [web]: { cpu: 4 } }));
  expect(averages(store, web, 'cpu', [start, 60, 3], start + 3 * minute)).toEqual([1, 4, 4]);
});
