/** The record of edge or Caddy on a full disk. Needs root, for a disk of its own. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ProcessRecord, rememberProcess } from '../../../runner/proxy/owned-process.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const record = (pid: number, fingerprint: string): ProcessRecord => ({
  ...{ pid, startTime: '1', bootId: 'boot', command: ['caddy', 'run'], fingerprint },
});

test('the process that replaces another one is remembered on a full disk', () => {
  const disk = join(temporaryDirectory(), 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('umount', [disk]));
  const file = join(disk, 'process.json');
  rememberProcess(file, record(1, 'a longer mark than the next one has'));
  const { bfree, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'full'), Buffer.alloc(bfree * bsize));
  rememberProcess(file, record(2, 'short'));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(record(2, 'short'));
});
