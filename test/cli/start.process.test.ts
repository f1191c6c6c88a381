/** What `longshore start` means: a service, or an instance on this machine. The package of the server beside the program only tells its arguments. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';
import { freePorts } from '../support/free-ports.ts';

let directory: string;
let program: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'longshore-start-')));
  program = await bundle(join(directory, 'longshore.mjs'));
  const server = join(directory, 'node_modules/@longshore/server');
  await mkdir(server, { recursive: true });
  const told = '[process.cwd(), process.env.LONGSHORE_COMMAND, ...process.argv.slice(2)].join(" ")';
  await writeFile(join(server, 'longshore-server.mjs'), `console.log(${told}); process.exitCode = 7;`);
});
afterAll(() => rm(directory, { recursive: true }));

/** @param files of the folder in which the command is typed */
async function start(args: string, files: Record<string, object> = {}, env: Record<string, string> = {}) {
  const home = await mkdtemp(join(directory, 'home-'));
  const folder = join(home, 'app');
  await mkdir(join(folder, '.longshore'), { recursive: true });
  for (const [path, value] of Object.entries(files))
    await writeFile(join(folder, path), JSON.stringify(value), { mode: 0o600 });
  const words = args.split(' ').filter((word) => word !== '');
  const child = spawn(process.execPath, [program, 'start', ...words], {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      out += text;
    });
  const code = await new Promise((ended) => child.once('close', ended));
  return `${code}: ${out.trim().replace(folder, 'HERE')}`;
}

const link = { '.longshore.json': { project: 'shop', service: 'web' } };
const away = async () => `http://127.0.0.1:${(await freePorts(1))[0]}`;
const elsewhere = async () => ({ LONGSHORE_URL: await away(), LONGSHORE_KEY: 'key' });

test('start means an instance where neither a name nor a link nor a login says otherwise', async () => {
  expect(await start('')).toBe('7: HERE longshore start');
  expect(await start('-d --port 1 --no-demo', link)).toBe(
    '7: HERE longshore start --port=1 --no-demo --detach',
  );
  const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' };
  expect(await start('', {}, npx)).toBe('7: HERE npx longshore start');
  expect(await start('-y', {}, await elsewhere())).toBe('7: HERE longshore start');
});

test('start asks somebody who is logged in, and without a terminal names -y', async () => {
  expect(await start('', {}, await elsewhere())).toMatch(
    /^2: You gave no service, .*repeat the command with -y\.$/,
  );
});

test('start means a service that is named or linked', async () => {
  expect(await start('web', {}, await elsewhere())).toContain('1: No answer from http');
  expect(await start('', link, await elsewhere())).toContain('1: No answer from http');
  expect(await start('web')).toContain('2: You are not logged in.');
  expect(await start('web --port 1')).toMatch(/^2: Do you want to start a service or an instance\?/);
});

test('start in a linked folder means its own instance while that does not run, else the service', async () => {
  const server = createServer(
    (_, reply) => void reply.writeHead(503).end('{"error":"asked","code":"asked"}'),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const own = (url: string) => ({ ...link, '.longshore/local.json': { url, apiKey: 'lsk' } });
  expect(await start('', own(await away()))).toBe('7: HERE longshore start');
  const runs = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await start('', own(runs))).toContain('asked');
});
