import { expect, test } from 'vitest';
import { longLines } from '../../../../runner/docker/logs/long-lines.ts';

const kb = 1024;
const mb = 1024 * kb;

test('all logs of a host share the memory for long lines, and each line has 64 KB in any case', () => {
  const first = longLines.take(0, 20 * mb);
  const second = longLines.take(0, 20 * mb);
  expect([first, second]).toEqual([20 * mb, 12 * mb + 128 * kb]);
  expect(longLines.take(0, mb)).toBe(64 * kb);
  longLines.release(first);
  longLines.release(second);
  longLines.release(64 * kb);
  const whole = longLines.take(0, 40 * mb);
  expect(whole).toBe(32 * mb + 64 * kb);
  longLines.release(whole);
});
