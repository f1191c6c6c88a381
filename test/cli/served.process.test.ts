/** The command line as a control plane serves it, installed by its script from a real HTTP server. */
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeServedCommandLine } from '../../cli/served.ts';
import { curlEnvironment } from '../support/curl.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

const run = promisify(execFile);
let directory: string;
const served = createServer((request, response) => {
  const file = join(directory, String(request.url));
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
});
let url: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-cli-'));
  await makeServedCommandLine(directory);
  await new Promise<void>((resolve) => served.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(served.address() as AddressInfo).port}`;
});
afterAll(async () => {
  served.close();
  await rm(directory, { recursive: true, force: true });
});

/** As a CI job runs it: `curl -fsSL <url>/cli.sh | sh`, with the program's folder in `bin`. */
async function install(env: Record<string, string>, ...args: string[]) {
  const bin = temporaryDirectory();
  const all = { ...(await curlEnvironment()), HOME: bin, LONGSHORE_BIN: bin, ...env };
  const line = `curl -fsSL "$FROM/cli.sh" | sh -s -- ${args.join(' ')}`;
  const { stdout } = await run('sh', ['-c', line], { env: { ...all, FROM: url } });
  return { bin, stdout, program: join(bin, 'longshore') };
}

test('one line installs the command line of the control plane, and a second time replaces it', async () => {
  const { bin, program, stdout } = await install({}, url);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(stdout).toContain(`longshore ${version} is installed as ${program}`);
  expect(stdout).toContain(`export PATH="${bin}:$PATH"`);
  expect(stdout).toContain(`Next: longshore login ${url}`);
  expect((await run(program, ['--version'])).stdout.trim()).toBe(version);
  await install({ LONGSHORE_BIN: bin }, `${url}/`);
  expect(readdirSync(bin)).toEqual(['longshore']);
});

test('the installed command says which file for variables is missing, although Node has a flag of the same name', async () => {
  const { bin, program } = await install({}, url);
  const env = { PATH: process.env.PATH, HOME: bin, LONGSHORE_URL: url, LONGSHORE_KEY: 'key' };
  const missing = join(bin, 'missing.env');
  for (const flag of [['--env-file', missing], [`--env-file=${missing}`]])
    await expect(run(program, ['service', 'create', 'shop/web', ...flag], { env })).rejects.toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining(`${missing} cannot be read`) },
    });
});

test('a CI job needs no argument, and its next steps find the command', async () => {
  const file = join(temporaryDirectory(), 'path');
  const { bin, stdout } = await install({ LONGSHORE_URL: url, LONGSHORE_KEY: 'lsk_x', GITHUB_PATH: file });
  expect(readFileSync(file, 'utf8')).toBe(`${bin}\n`);
  expect(stdout).not.toContain('longshore login');
});

test.each([
  ['no address', {}, [], 'Give the address of the control plane'],
  ['an address without Longshore', {}, ['$FROM/none'], '/none/cli/longshore.mjs could not be downloaded.'],
  ['a folder that is a file', { LONGSHORE_BIN: '/dev/null' }, ['$FROM'], 'LONGSHORE_BIN chooses another'],
])('with %s, the script says what to do and installs nothing', async (_, env, args, reason) => {
  const empty = temporaryDirectory();
  const failed = install({ LONGSHORE_BIN: empty, ...env }, ...args);
  await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining(reason) });
  expect(readdirSync(empty)).toEqual([]);
});

test('a download with other bytes than announced is not installed', async () => {
  appendFileSync(join(directory, 'cli/longshore.mjs'), ' ');
  const bin = temporaryDirectory();
  await expect(install({ LONGSHORE_BIN: bin }, url)).rejects.toMatchObject({
    stderr: expect.stringContaining('The download is damaged or of another version. Nothing was changed'),
  });
  expect(readdirSync(bin)).toEqual([]);
});
