import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '../../../runner/base/clock.ts';

test('what has passed is a limit that programs take: whole milliseconds that only grow', async () => {
  const before = systemClock.elapsed();
  await promisify(execFile)(process.execPath, ['--version'], {
    timeout: 30_000 + systemClock.elapsed() - before,
  });
  const after = systemClock.elapsed();
  expect([Number.isInteger(before), Number.isInteger(after), after >= before]).toEqual([true, true, true]);
});
