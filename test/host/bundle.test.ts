import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHost } from '../../host/bundle.ts';
import { placesUnder } from '../../host/places.ts';
import { unitFor } from '../../host/service.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

const run = promisify(execFile);
const tags = { tags: 'slow' } as const;
const megabyte = 2 ** 20;
/** With what the last blocks of files waste. */
const onDisk = async (path: string) =>
  Number.parseInt((await run('du', ['--summarize', '--block-size=1', path])).stdout, 10);
let directory: string;
let release: Awaited<ReturnType<typeof bundleHost>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-bundle-test-'));
  release = await bundleHost(directory);
}, 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

test('the same sources make the same bundle', tags, async () => {
  expect(await bundleHost(temporaryDirectory())).toEqual(release);
});

test(
  'the bundle of a host has at most 2 MB, 7 MB unpacked, and its programs start without the repository',
  tags,
  async () => {
    const archive = join(directory, 'host/longshore-host.tgz');
    expect((await readFile(archive)).length).toBeLessThan(2 * megabyte);
    const unpacked = temporaryDirectory();
    await run('tar', ['-xzf', archive, '-C', unpacked]);
    expect(await onDisk(unpacked)).toBeLessThan(7 * megabyte);
    const say = async (program: string) =>
      (await run(process.execPath, [join(unpacked, program), '--help'], { cwd: '/' })).stdout;
    expect(await say('runner.mjs')).toContain('enroll --url URL');
    expect(await say('host.mjs')).toContain('longshore-host: the runner of this machine');
  },
);

test(
  'the script refuses what it downloaded if it is not what the control plane announced',
  tags,
  async () => {
    const script = await readFile(join(directory, 'install.sh'), 'utf8');
    expect(script).not.toMatch(/@[A-Z0-9_]+@/);
    const root = temporaryDirectory();
    const stand = temporaryDirectory();
    await run('sh', [
      '-c',
      `printf '#!/bin/sh\\nfor last; do :; done\\nwhile [ "$1" != -o ]; do shift; done; echo other >"$2"\\n' >${stand}/curl; chmod +x ${stand}/curl`,
    ]);
    const env = { ...process.env, LONGSHORE_ROOT: root, PATH: `${stand}:${process.env.PATH}` };
    const installed = run('sh', [join(directory, 'install.sh'), '--url', 'https://longshore.test'], { env });
    await expect(installed).rejects.toMatchObject({
      stderr: expect.stringContaining('A download is damaged'),
    });
    await expect(run('find', [root, '-type', 'f'])).resolves.toMatchObject({ stdout: '' });
  },
);

test('the script needs the address of the control plane', tags, async () => {
  const env = { ...process.env, LONGSHORE_ROOT: temporaryDirectory() };
  await expect(run('sh', [join(directory, 'install.sh')], { env })).rejects.toMatchObject({
    stderr: 'error: Give the address of the control plane: --url https://...\n',
  });
});

test('the units of a host run its current release with its data', async () => {
  const places = placesUnder('/');
  const text = await readFile(
    new URL('../../runner/systemd/longshore-runner.service', import.meta.url),
    'utf8',
  );
  const unit = unitFor(places, text);
  expect(unit).toContain('WorkingDirectory=/opt/longshore\n');
  expect(unit).toContain('ExecStartPre=/opt/longshore/choose-release /opt/longshore\n');
  expect(unit).toMatch(
    /^ExecStart=\/opt\/longshore\/current\/node .* \/opt\/longshore\/current\/runner\.mjs run --data \/var\/lib\/longshore\/runner$/m,
  );
  expect(unit).not.toMatch(/main\.ts|node_modules|the clone/);
});

test('packages that the runner imports on demand keep their names in the bundle', tags, async () => {
  const unpacked = temporaryDirectory();
  await run('tar', ['-xzf', join(directory, 'host/longshore-host.tgz'), '-C', unpacked]);
  const files = (await readdir(unpacked)).filter((name) => name.endsWith('.mjs'));
  const texts = await Promise.all(files.map((name) => readFile(join(unpacked, name), 'utf8')));
  // A CommonJS package becomes `export default`, and its names are undefined to `await import(...)`.
  const isExported = (name: string) =>
    texts.some((text) => new RegExp(`export ?\\{[^}]*\\b${name}\\b`).test(text));
  const wanted = ['getDomain', 'RE2JS', 'Project', 'FileSystem'];
  expect(wanted.filter((name) => !isExported(name))).toEqual([]);
});
