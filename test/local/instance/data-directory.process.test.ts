import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dataDirectory, makeDataDirectory } from '../../../local/instance/data-directory.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

const main = fileURLToPath(new URL('../../../local/main.ts', import.meta.url));

test('the data directory is made with its parents, for its owner only, and found again', async () => {
  const data = dataDirectory(join(await temporaryDirectory(), 'a/b'));
  makeDataDirectory(data);
  makeDataDirectory(data);
  for (const path of [data.root, data.runner]) expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('git ignores a data directory that was made, and a directory that was there keeps its files', async () => {
  const directory = await temporaryDirectory();
  const ignoreFile = (name: string) => join(directory, name, '.gitignore');
  mkdirSync(join(directory, 'there'));
  for (const name of ['made', 'there']) makeDataDirectory(dataDirectory(join(directory, name)));
  expect(readFileSync(ignoreFile('made'), 'utf8')).toBe('*\n');
  expect(existsSync(ignoreFile('there'))).toBe(false);
});

// In a process of its own with an end: Node's recursive mkdir never comes back from /proc.
test.each([[[]], [['--detach']]])(
  'the data directory is refused in one sentence where none can be made: %j',
  async (flags) => {
    const file = join(await temporaryDirectory(), 'file');
    writeFileSync(file, '');
    for (const data of ['/proc/longshore', file, join(file, 'below')]) {
      const run = spawnSync(process.execPath, [main, 'start', `--data=${data}`, ...flags], {
        encoding: 'utf8',
        timeout: 25_000,
      });
      expect(run.stderr).toMatch(/^error: The data directory \S+ can't be used: .+\.\n$/);
      expect(run.stderr).toContain(data);
      expect(run.status).toBe(1);
    }
  },
);

test.skipIf(process.getuid?.() === 0)(
  'the data directory is refused where this user may not write (not as root: root may everywhere)',
  async () => {
    const closed = join(await temporaryDirectory(), 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    for (const path of [closed, join(closed, 'x')]) {
      expect(() => makeDataDirectory(dataDirectory(path))).toThrow('this user may not write');
    }
  },
);
