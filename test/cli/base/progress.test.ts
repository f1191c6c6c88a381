import { expect, test } from 'vitest';
import { bar, createProgress, size } from '../../../cli/base/progress.ts';

const gibibyte = 1024 ** 3;

test('sizes have three digits and a unit', () => {
  expect([0, 1023, 1024, 1536 * 1024, 64 * gibibyte, 1000 * 1024].map(size)).toEqual([
    ...['0 B', '1023 B', '1.00 KiB', '1.50 MiB', '64.0 GiB', '1000 KiB'],
  ]);
});

test('a bar is full only at the end, and a total that is unknown or passed breaks nothing', () => {
  const line = (done: number, total: number | null) => bar({ done, total, unit: 'bytes' });
  expect(line(gibibyte, 4 * gibibyte)).toBe(`[${'#'.repeat(6)}${' '.repeat(18)}] 25%  1.00 GiB of 4.00 GiB`);
  expect(line(999, 1000)).toContain(' ] 99%');
  expect(line(1000, 1000)).toContain('#]100%');
  expect(line(2000, 1000)).toContain('#]100%');
  expect([line(5, null), line(5, 0)]).toEqual(['5 B', '5 B']);
});

/** Collects what is written. */
function screen(isTTY: boolean) {
  const written: string[] = [];
  const stderr = { isTTY, columns: 20, write: (text: string) => written.push(text) };
  return { written, streams: { stderr: stderr as unknown as NodeJS.WriteStream } };
}

test('a terminal has one line, cut to its width and removed at the end', () => {
  const { written, streams } = screen(true);
  const progress = createProgress(streams);
  progress.show('a label that is longer than the terminal');
  progress.end();
  expect(written).toEqual(['\r\u001b[Ka label that is lon', '\r\u001b[K']);
});

test('without a terminal a line comes every ten seconds, and only if something changed', () => {
  let now = 0;
  const { written, streams } = screen(false);
  const progress = createProgress(streams, () => now);
  for (const [time, label] of [
    [0, 'a'],
    [5_000, 'b'],
    [11_000, 'c'],
    [30_000, 'c'],
  ] as const) {
    now = time;
    progress.show(label);
  }
  progress.end();
  expect(written).toEqual(['a\n', 'c\n']);
});
