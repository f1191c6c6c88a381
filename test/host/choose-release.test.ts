import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readlinkSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeDigests } from '../../host/whole-release.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

const script = fileURLToPath(new URL('../../host/choose-release.sh', import.meta.url));

/** A host with releases, oldest first; the last one is current. */
async function host(names: string[]) {
  const home = temporaryDirectory();
  for (const [index, name] of names.entries()) {
    const directory = join(home, 'releases', name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'runner.mjs'), name);
    await writeDigests(directory);
    symlinkSync(process.execPath, join(directory, 'node'));
    utimesSync(directory, index, index);
  }
  symlinkSync(join(home, 'releases', names.at(-1) ?? ''), join(home, 'current'));
  return {
    home,
    empty: (name: string, file = 'runner.mjs') => writeFileSync(join(home, 'releases', name, file), ''),
    current: () => readlinkSync(join(home, 'current')).split('/').at(-1),
    choose: () =>
      promisify(execFile)('sh', [script, home]).then(
        ({ stderr }) => ({ code: 0, stderr }),
        (error) => ({ code: error.code as number, stderr: error.stderr as string }),
      ),
  };
}

test('a whole release stays the current one, and nothing is said', async () => {
  const { choose, current } = await host(['one', 'two']);
  expect(await choose()).toEqual({ code: 0, stderr: '' });
  expect(current()).toBe('two');
});

test.each(['runner.mjs', 'digests'])(
  'the release before runs when %s of the current one is empty, and the log says so',
  async (file) => {
    const { choose, current, empty } = await host(['one', 'two']);
    empty('two', file);
    const { code, stderr } = await choose();
    expect([code, current()]).toEqual([0, 'one']);
    expect(stderr).toBe(
      'error: the release two is damaged; one runs instead. Repair: longshore-host upgrade\n',
    );
  },
);

test('the start fails with the way out when no release is whole', async () => {
  const { choose, empty } = await host(['one', 'two']);
  for (const name of ['one', 'two']) empty(name);
  expect(await choose()).toEqual({
    code: 1,
    stderr: expect.stringContaining('run the installation command again (docs/operate/hosts.md)'),
  });
});

test('what a broken-off installation left is removed at the next start, unless one is at work', async () => {
  const { choose, home } = await host(['one']);
  const left = join(home, '.installing-a1B2c3');
  mkdirSync(left);
  const lock = spawn('flock', ['--shared', home, 'sh', '-c', 'echo held; read _'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(lock.stdout, 'data');
  expect(await choose()).toEqual({ code: 0, stderr: '' });
  expect(existsSync(left)).toBe(true);
  lock.stdin.end();
  await once(lock, 'close');
  expect(await choose()).toEqual({ code: 0, stderr: '' });
  expect(existsSync(left)).toBe(false);
});
