/** The file of the metrics: what it keeps, and what a crash, another program or a growing host does to it. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RingFile, type RingShape } from '../../../runner/metrics/ring-file.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const shape = { places: 10, columns: 2, fields: 3 };
const header = 32;
const placeBytes = 8 + shape.columns * shape.fields * 2;

function open(path: string, as: RingShape = shape): RingFile {
  const ring = RingFile.open(path, as);
  onTestFinished(() => {
    try {
      ring.close();
    } catch {
      // the test has closed it
    }
  });
  return ring;
}

function stepsIn(ring: RingFile, from = 0, to = 100): [number, number][] {
  const found: [number, number][] = [];
  ring.read(from, to, (step, values) => found.push([step, values[0] ?? -1]));
  return found;
}

const values = (first: number, { columns, fields } = shape) => new Uint16Array(columns * fields).fill(first);
const ringOf = (path: string, steps: number) => {
  const ring = open(path);
  for (let step = 1; step <= steps; step++) ring.write(step, values(step));
  return ring;
};

test('a ring keeps the newest steps in a file that never grows, also for the next process', () => {
  const path = join(temporaryDirectory(), 'ring');
  const ring = ringOf(path, 3);
  const { size } = statSync(path);
  for (let step = 4; step <= 25; step++) ring.write(step, values(step));
  expect(statSync(path).size).toBe(size);
  const newest = Array.from({ length: 10 }, (_, at) => [16 + at, 16 + at]);
  expect(stepsIn(ring, 0, 26)).toEqual(newest);
  ring.close();
  expect(stepsIn(open(path), 0, 26)).toEqual(newest);
  expect(stepsIn(open(path), 20, 22)).toEqual([
    [20, 20],
    [21, 21],
  ]);
});

// The last byte of a value is zero before and after.
test('a write that a crash cut off in any place is a gap of one step', () => {
  const path = join(temporaryDirectory(), 'ring');
  ringOf(path, 9).close();
  const before = readFileSync(path);
  const whole = open(path);
  whole.write(15, values(15));
  whole.close();
  const after = readFileSync(path);
  const at = header + 5 * placeBytes;
  for (let cut = 1; cut < placeBytes - 1; cut++) {
    writeFileSync(path, Buffer.concat([after.subarray(0, at + cut), before.subarray(at + cut)]));
    const ring = open(path);
    const steps = stepsIn(ring, 1, 16).map(([step]) => step);
    ring.close();
    expect(steps, `cut after ${cut} bytes`).toEqual([6, 7, 8, 9]);
  }
});

test.each([
  ['cut off', (path: string) => truncateSync(path, 100)],
  ['empty', (path: string) => truncateSync(path, 0)],
  ['longer', (path: string) => writeFileSync(path, Buffer.alloc(9_999, 7))],
  ['no ring', (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, 7))],
])('a file that is %s is started anew, and works', (_, damage) => {
  const path = join(temporaryDirectory(), 'ring');
  ringOf(path, 5).close();
  damage(path);
  const ring = open(path);
  expect(stepsIn(ring)).toEqual([]);
  ring.write(7, values(7));
  expect(stepsIn(ring, 0, 8)).toEqual([[7, 7]]);
});

test('places that were overwritten by garbage are left out, one by one', () => {
  const path = join(temporaryDirectory(), 'ring');
  ringOf(path, 9).close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, header + 3 * placeBytes, header + 5 * placeBytes);
  writeFileSync(path, bytes);
  expect(stepsIn(open(path), 1, 10).map(([step]) => step)).toEqual([1, 2, 5, 6, 7, 8, 9]);
});

test('a ring gets more columns without losing a step', () => {
  const path = join(temporaryDirectory(), 'ring');
  ringOf(path, 9).close();
  const wide = { ...shape, columns: 5 };
  const ring = open(path, wide);
  ring.write(10, values(10, wide));
  const found: [number, number[]][] = [];
  ring.read(8, 11, (step, all) => found.push([step, [...all]]));
  expect(found).toEqual([
    [8, [...new Array(6).fill(8), ...new Array(9).fill(0)]],
    [9, [...new Array(6).fill(9), ...new Array(9).fill(0)]],
    [10, new Array(15).fill(10)],
  ]);
});
