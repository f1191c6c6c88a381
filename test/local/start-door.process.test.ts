/** `local/start.mjs` in a small project of the test's own, with an npm that writes down what it was asked. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/runner/temporary.ts';

const door = fileURLToPath(new URL('../../local/start.mjs', import.meta.url));

const lock = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/for-another-system': { version: '1.0.0', integrity: 'sha512-b', optional: true },
  },
};
const installed = { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } } };

/** What the verb prints, so that it is seen to run, with which arguments and in whose process. */
const main = `
  export async function runMain(args) {
    console.log('main ' + args.join(' '));
    if (args[0] === 'fail') process.exitCode = 7;
    if (args[0] === 'wait') { process.on('SIGTERM', () => { console.log('told'); process.exit(3); }); setInterval(() => {}, 1000); }
  }
  if (process.argv[1].endsWith('main.ts')) { console.log('as a child'); await runMain(process.argv.slice(2)); }
`;

async function project() {
  const root = await temporaryDirectory();
  await mkdir(join(root, 'local'));
  await mkdir(join(root, 'stubs'));
  await copyFile(door, join(root, 'local/start.mjs'));
  await writeFile(join(root, 'local/main.ts'), main);
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock));
  // Installs what the lock says, as far as the door looks.
  const npm = `#!/bin/sh
echo "$@" >> ${root}/npm-calls
[ -e ${root}/npm-fails ] && exit 1
mkdir -p ${root}/node_modules/.bin && ln -sf "${process.execPath}" ${root}/node_modules/.bin/node
cp ${root}/installed.json ${root}/node_modules/.package-lock.json
`;
  await writeFile(join(root, 'stubs/npm'), npm);
  await chmod(join(root, 'stubs/npm'), 0o755);
  await writeFile(join(root, 'installed.json'), JSON.stringify(installed));
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [join(root, 'local/start.mjs'), ...args], {
      env: { ...process.env, PATH: `${join(root, 'stubs')}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const run = async (...args: string[]) => {
    const child = start(...args);
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (text.stdout += chunk));
    child.stderr.on('data', (chunk) => (text.stderr += chunk));
    const [code] = await once(child, 'close');
    return { code, ...text };
  };
  const npmCalls = () => readFile(join(root, 'npm-calls'), 'utf8').catch(() => '');
  return { root, run, start, npmCalls };
}

test('the door installs the locked dependencies when they are missing, and continues', async () => {
  const { run, npmCalls } = await project();
  const { code, stdout } = await run('start', '--port', '1');
  expect(code).toBe(0);
  expect(stdout).toContain('installing the locked dependencies');
  expect(stdout).toContain('main start --port 1');
  expect(await npmCalls()).toMatch(/^ci --include=dev/);
});

test('the door installs nothing the second time, optional packages of other systems or not', async () => {
  const { run, npmCalls } = await project();
  await run('start');
  const { stdout } = await run('start');
  expect(stdout).toBe('main start\n');
  expect((await npmCalls()).trim().split('\n')).toHaveLength(1);
});

test('the door installs again when the lock names another version', async () => {
  const { root, run, npmCalls } = await project();
  await run('start');
  const changed = { packages: { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-c' } } };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(changed));
  await run('start');
  expect((await npmCalls()).trim().split('\n')).toHaveLength(2);
});

test('an install that fails ends with code 1 and the command to try', async () => {
  const { root, run } = await project();
  await writeFile(join(root, 'npm-fails'), '');
  const { code, stderr, stdout } = await run('start');
  expect(code).toBe(1);
  expect(stderr).toContain('npm ci');
  expect(stdout).not.toContain('main');
});

test('the door passes the exit code on', async () => {
  const { run } = await project();
  expect((await run('fail')).code).toBe(7);
});

/** The project's Node is the same program under another name: a copy would be 120 MB. */
async function foreign() {
  const made = await project();
  await made.run('start');
  const wrapper = join(made.root, 'node-of-the-project');
  await writeFile(wrapper, `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  await chmod(wrapper, 0o755);
  await rm(join(made.root, 'node_modules/.bin/node'));
  await symlink(wrapper, join(made.root, 'node_modules/.bin/node'));
  return made;
}

test("the door under another Node continues in a child under the project's Node and passes its exit code on", async () => {
  const { run } = await foreign();
  expect(await run('fail', 'x')).toMatchObject({ code: 7, stdout: 'as a child\nmain fail x\n' });
});

test('the door under another Node passes SIGTERM on and waits for the child', async () => {
  const { start } = await foreign();
  const child = start('wait');
  let stdout = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  await expect.poll(() => stdout, { timeout: 20_000 }).toContain('main wait');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([3, null]);
  expect(stdout).toContain('told');
});
