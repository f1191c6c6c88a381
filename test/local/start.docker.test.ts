/** `npm start` and `npm stop` as a person types them: real processes, real Docker, a data directory of the test's own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../local/docker/engine.ts';
import { readLock } from '../../local/instance/instance-lock.ts';
import { localFileSchema } from '../../local/instance/local-file.ts';
import { isAlive, waitForEnd } from '../../local/instance/process-identity.ts';
import { proxyProcesses } from '../../local/instance/proxy-processes.ts';
import { firewallTable, labels } from '../../protocol/names.ts';
import { freePorts } from '../support/free-ports.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

let data: string;
let ports: { api: number; http: number; https: number };

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'longshore-start-'));
  const [api = 0, http = 0, https = 0] = await freePorts(3);
  ports = { api, http, https };
});

afterAll(async () => {
  await run('stop', '--data', data, '--purge');
  await rm(data, { recursive: true, force: true });
});

function launch(...args: string[]) {
  const child = spawn(process.execPath, ['local/start.mjs', ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (text.stdout += chunk));
  child.stderr.on('data', (chunk) => (text.stderr += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code, ...text }));
  return { child, text, ended };
}

const run = (...args: string[]) => launch(...args).ended;
const startArgs = (port = ports.api) => [
  'start',
  '--no-demo',
  ...['--data', data, '--port', `${port}`, '--http-port', `${ports.http}`, '--https-port', `${ports.https}`],
];
const local = () => localFileSchema.parse(JSON.parse(readFileSync(join(data, 'local.json'), 'utf8')));
const firewallTables = () => execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' });
const answers = () => fetch(`${local().url}/api/projects`).then((reply) => reply.status);

test('a taken port is reported in one sentence with exit code 1, and nothing is started', async () => {
  const stranger = createServer().listen(ports.api, '127.0.0.1');
  await once(stranger, 'listening');
  const { code, stderr } = await run(...startArgs());
  await new Promise((resolve) => stranger.close(resolve));
  expect(code).toBe(1);
  expect(stderr).toBe(`error: Port ${ports.api} is taken by another program; choose another with --port.\n`);
  expect(existsSync(join(data, 'lock'))).toBe(false);
  expect(existsSync(join(data, 'local.json'))).toBe(false);
});

test('an instance starts detached and prints where it answers', async () => {
  const { code, stdout, stderr } = await run(...startArgs(), '--detach');
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout).toContain('Longshore is ready');
  expect(stdout).toContain(`http://127.0.0.1:${ports.api}`);
  expect(stdout).not.toContain(local().apiKey);
  expect(await answers()).toBe(401);
});

test('an instance writes local.json and its secrets for their owner only', () => {
  expect(local()).toMatchObject({
    url: `http://127.0.0.1:${ports.api}`,
    httpPort: ports.http,
    httpsPort: ports.https,
    runnerId: expect.stringMatching(/^run_/),
  });
  for (const file of ['local.json', 'secrets.json', 'lock', 'start.log']) {
    expect(statSync(join(data, file)).mode & 0o777, file).toBe(0o600);
  }
});

test('a second start is refused in one sentence and does no harm', async () => {
  const { code, stderr } = await run(...startArgs());
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: Longshore already runs on .* \(process \d+\)\.\n/);
  expect(await answers()).toBe(401);
});

test('a new start after kill -9 of Node ends the orphans, works, and has the same key', async () => {
  const before = local();
  const held = readLock(data);
  if (held === undefined) throw new Error('no lock');
  process.kill(held.node.pid, 'SIGKILL');
  await waitForEnd(held.node, 5_000);
  const { code, stderr } = await run(...startArgs(), '--detach');
  expect([code, stderr]).toEqual([0, '']);
  expect(held.workerd.some(isAlive), 'the old workerd').toBe(false);
  expect(local()).toEqual(before);
  const reply = await fetch(`${before.url}/api/projects`, {
    headers: { authorization: `Bearer ${before.apiKey}` },
  });
  expect(reply.status).toBe(200);
});

test('a runner that dies is started again', async () => {
  const runner = readLock(data)?.runner;
  if (!runner) throw new Error('no runner in the lock');
  process.kill(runner.pid, 'SIGKILL');
  await expect.poll(() => readLock(data)?.runner?.pid, { timeout: 10_000 }).not.toBe(runner.pid);
  await expect.poll(() => readLock(data)?.runner ?? null, { timeout: 10_000 }).not.toBeNull();
});

test('stop ends control plane and runner and leaves the proxy', async () => {
  const held = readLock(data);
  expect(await run('stop', '--data', data)).toMatchObject({ code: 0, stderr: '' });
  expect([held?.node, held?.runner, ...(held?.workerd ?? [])].filter((one) => one && isAlive(one))).toEqual(
    [],
  );
  await expect(answers()).rejects.toThrow();
  expect(proxyProcesses(join(data, 'runner'))).toHaveLength(2);
});

test('stop with nothing running reports that and succeeds', async () => {
  const { code, stdout } = await run('stop', '--data', data);
  expect(code).toBe(0);
  expect(stdout).toContain('no control plane is running');
});

test('a later start in the foreground serves and ends with code 0 on SIGTERM', async () => {
  const { child, text, ended } = launch(...startArgs());
  try {
    await expect.poll(() => text.stdout + text.stderr, { timeout: 30_000 }).toContain('Longshore is ready');
    expect(await answers()).toBe(401);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(join(data, 'lock'))).toBe(false);
});

test('the proxy keeps its ports until it is ended with stop --all', async () => {
  const moved = startArgs().map((arg) => (arg === `${ports.http}` ? `${ports.http + 1}` : arg));
  const { code, stderr } = await run(...moved);
  expect(code).toBe(1);
  expect(stderr).toMatch(/npm stop -- --all --data \S/);
  expect((await run('stop', '--data', data, '--all')).code).toBe(0);
  expect(proxyProcesses(join(data, 'runner'))).toEqual([]);
});

test('stop --purge removes the firewall rules and leaves the data of databases; it prints the command for that', async () => {
  const docker = connectDocker();
  const names = ['a', 'b'].map((name) => `longshore-test-${process.pid}-${name}`);
  const { runnerId } = local();
  expect(firewallTables()).toContain(`table inet ${firewallTable(runnerId)}\n`);
  for (const Name of names) await docker.createVolume({ Name, Labels: { [labels.instance]: runnerId } });
  const left = async () =>
    (await docker.listVolumes()).Volumes.map(({ Name }) => Name).filter((name) => names.includes(name));
  const { code, stdout } = await run('stop', '--data', data, '--purge');
  expect(firewallTables()).not.toContain(runnerId);
  expect([code, (await left()).sort()]).toEqual([0, names]);
  const command = /^ {2}(docker volume rm .+)$/m.exec(stdout)?.[1];
  expect(command).toBe(`docker volume rm ${names.join(' ')}`);
  execFileSync('/bin/sh', ['-c', command ?? 'false']);
  expect(await left()).toEqual([]);
  expect((await run('stop', '--data', data, '--purge')).stdout).not.toContain('docker volume rm');
});
