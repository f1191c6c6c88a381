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

test('a log gets a line at the begin, one every ten seconds, and the end of what took so long', () => {
  let now = 0;
  const { written, streams } = screen(false);
  const progress = createProgress(streams, () => now);
  const show = (time: number, label: string, done?: number) => {
    now = time;
    progress.show(label, done === undefined ? null : { done, total: 2_048, unit: 'bytes' });
  };
  show(0, 'Packing', 0);
  show(5, 'Packing', 1_000);
  show(10, 'Packing', 2_048);
  progress.end();
  show(20, 'Uploading', 0);
  show(5_000, 'Uploading', 100);
  show(11_000, 'Uploading', 1_024);
  show(12_000, 'Uploading', 1_025);
  show(13_000, 'Uploading', 2_048);
  progress.end();
  show(14_000, 'The backup');
  show(40_000, 'The backup');
  progress.end();
  expect(written).toEqual([
    'Packing 2.00 KiB\n',
    'Uploading 2.00 KiB\n',
    `Uploading  [${'#'.repeat(12)}${' '.repeat(12)}] 50%  1.00 KiB of 2.00 KiB\n`,
    `Uploading  [${'#'.repeat(24)}]100%  2.00 KiB of 2.00 KiB\n`,
    'The backup\n',
  ]);
});
