import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rotateLog } from '../../../local/instance/rotate-log.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a small log stays, a big one is set aside, and both are readable for their owner alone', async () => {
  const log = join(await temporaryDirectory(), 'a.log');
  rotateLog(log);
  expect(existsSync(log)).toBe(false);
  writeFileSync(log, 'small', { mode: 0o644 });
  rotateLog(log);
  expect([readFileSync(log, 'utf8'), modeOf(log), existsSync(`${log}.1`)]).toEqual(['small', 0o600, false]);
  writeFileSync(`${log}.1`, 'older', { mode: 0o644 });
  rotateLog(log);
  expect(modeOf(`${log}.1`)).toBe(0o600);
  writeFileSync(log, 'big', { mode: 0o644 });
  truncateSync(log, 11 * 2 ** 20);
  rotateLog(log);
  expect([existsSync(log), readFileSync(`${log}.1`, 'utf8').slice(0, 3), modeOf(`${log}.1`)]).toEqual([
    false,
    'big',
    0o600,
  ]);
});
