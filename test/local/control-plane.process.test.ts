import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle as bundleCommandLine } from '../../cli/bundle.ts';
import { type ControlPlane, startControlPlane } from '../../local/control-plane/control-plane.ts';

import { isAlive, type ProcessIdentity, waitForEnd } from '../../local/instance/process-identity.ts';
import { ensureWorkerBundle, type WorkerBundle } from '../../local/worker-bundle/worker-bundle.ts';
import { freePorts } from '../support/free-ports.ts';
import { loopbackPortsOf } from '../support/listening-ports.ts';
import { temporaryDirectory } from '../support/runner/temporary.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const secrets = {
  OPERATOR_TOKEN: 'test-operator-token-0123456789abcdef',
  ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI',
};
let bundle: WorkerBundle;

beforeAll(async () => {
  bundle = await ensureWorkerBundle({
    projectRoot,
    cache: join(projectRoot, 'node_modules/.cache/longshore'),
  });
}, 60_000);

/** The real Worker on a free port; `persistDirectory` may be used again. */
async function running(
  persistDirectory: string,
  logFile = join(persistDirectory, 'control-plane.log'),
  more: { listen?: string; port?: number } = {},
) {
  const workerds: ProcessIdentity[] = [];
  const controlPlane: ControlPlane = await startControlPlane({
    bundle,
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory,
    port: 0,
    ...more,
    secrets,
    logFile,
    onRuntimeStart: (workerd) => workerds.push(workerd),
  });
  onTestFinished(() => controlPlane.stop());
  return { controlPlane, workerds };
}

test('the embedded control plane answers 401 with a JSON body to a request without a key', async () => {
  const { controlPlane } = await running(await temporaryDirectory());
  const reply = await fetch(`${controlPlane.url}/api/projects`);
  expect(reply.status).toBe(401);
  expect(await reply.json()).toEqual({
    error: expect.any(String),
    code: expect.any(String),
    requestId: reply.headers.get('x-request-id'),
  });
});

test('the embedded control plane listens on loopback only', async () => {
  const { controlPlane } = await running(await temporaryDirectory());
  expect(new URL(controlPlane.url).hostname).toBe('127.0.0.1');
});

/** The command for a new host, as the operator gets it. */
async function newHost(url: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${url}/api/system/runners`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.OPERATOR_TOKEN}`, ...headers },
  });
  return (await reply.json()) as { command: string; warning: string | null };
}

test('a control plane on loopback says that the command for a new host works on no other machine', async () => {
  const { controlPlane } = await running(await temporaryDirectory());
  const { warning } = await newHost(controlPlane.url);
  expect(warning).toMatch(/127\.0\.0\.1 only.*--listen ADDRESS.*docs\/operate\/reverse-proxy\.md/);
});

test('behind a reverse proxy, the command for a new host has the https address of the proxy', async () => {
  const { controlPlane } = await running(await temporaryDirectory());
  const { hostname, port } = new URL(controlPlane.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const asked = request(
      {
        ...{ hostname, port, method: 'POST', path: '/api/system/runners' },
        headers: {
          authorization: `Bearer ${secrets.OPERATOR_TOKEN}`,
          host: 'deploy.example.com',
          'x-forwarded-proto': 'https',
          'x-forwarded-for': '203.0.113.9',
        },
      },
      (reply) => void text(reply).then(resolve),
    );
    asked.once('error', reject).end();
  });
  expect(JSON.parse(answer)).toMatchObject({
    command: expect.stringContaining('https://deploy.example.com/install.sh'),
    warning: null,
  });
});

test('another address serves other machines, is in the command for new hosts, and believes no headers', async () => {
  const [port = 0] = await freePorts(1);
  // Loopback has more addresses than 127.0.0.1, so no network is needed here.
  const { controlPlane } = await running(await temporaryDirectory(), undefined, {
    listen: '127.0.0.7',
    port,
  });
  const network = `http://127.0.0.7:${port}`;
  expect(await newHost(controlPlane.url)).toMatchObject({
    command: expect.stringContaining(`--url ${network}`),
    warning: null,
  });
  const program = await bundleCommandLine(join(await temporaryDirectory(), 'longshore.mjs'));
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'hosts', 'add', 'server-2'], {
    env: { PATH: process.env.PATH, LONGSHORE_URL: network, LONGSHORE_KEY: secrets.OPERATOR_TOKEN },
  });
  expect(stdout).toMatch(/^[^\n]*LONGSHORE_TOKEN=[^\n]*\n$/);
  const { command } = await newHost(network, { 'x-forwarded-proto': 'https' });
  expect(command).not.toContain('https://');
  expect((await fetch(`${network}/api/projects`)).status).toBe(401);
});

test('the embedded control plane applies the migrations once and keeps its data over a restart', async () => {
  const directory = await temporaryDirectory();
  const first = await running(directory);
  expect(first.controlPlane.migrated.length).toBeGreaterThan(0);
  const headers = { authorization: `Bearer ${secrets.OPERATOR_TOKEN}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'kept', access: 'read', projects: 'all', expiresInDays: null });
  const created = await fetch(`${first.controlPlane.url}/api/system/keys`, {
    method: 'POST',
    headers,
    body,
  });
  expect(created.status).toBe(200);
  await first.controlPlane.stop();
  const second = await running(directory);
  expect(second.controlPlane.migrated).toEqual([]);
  const listed = await fetch(`${second.controlPlane.url}/api/system/keys`, { headers });
  expect(await listed.json()).toMatchObject({ keys: [{ name: 'kept' }] });
});

test('the embedded control plane runs the scheduled handler', async () => {
  const { controlPlane } = await running(await temporaryDirectory());
  await controlPlane.runScheduled(Date.now());
});

test('the embedded control plane reports its workerd, also a second one after the first is killed, and ends it', async () => {
  const { controlPlane, workerds } = await running(await temporaryDirectory());
  const first = workerds[0];
  if (first === undefined) throw new Error('no workerd was named');
  expect(isAlive(first)).toBe(true);
  process.kill(first.pid, 'SIGKILL');
  await expect.poll(() => workerds.at(-1)?.pid, { timeout: 30_000 }).not.toBe(first.pid);
  const second = workerds.at(-1);
  if (second === undefined) throw new Error('no second workerd was named');
  await controlPlane.runScheduled(Date.now());
  await controlPlane.stop();
  expect(await waitForEnd(second, 5_000)).toBe(true);
});

test('workerd is started again also when the log can not be written, as on a full disk', async () => {
  const directory = await temporaryDirectory();
  const { controlPlane, workerds } = await running(directory, directory);
  process.kill(workerds[0]?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => workerds.length, { timeout: 30_000 }).toBe(2);
  expect((await fetch(`${controlPlane.url}/api/projects`)).status).toBe(401);
});

test('the socket that runs SQL and scheduled work refuses callers without its token', async () => {
  const { controlPlane, workerds } = await running(await temporaryDirectory());
  const ports = loopbackPortsOf(workerds.map(({ pid }) => String(pid)));
  const [admin, ...others] = ports.filter((port) => !controlPlane.url.endsWith(`:${port}`));
  expect(others).toEqual([]);
  for (const authorization of [undefined, 'Bearer ', `Bearer ${secrets.OPERATOR_TOKEN}`]) {
    const headers = authorization === undefined ? {} : { authorization };
    const statement = JSON.stringify([{ sql: 'select 1', values: [] }]);
    const answer = await fetch(`http://127.0.0.1:${admin}/batch`, {
      method: 'POST',
      headers,
      body: statement,
    });
    expect(answer.status).toBe(401);
  }
});

test('a taken port is reported in one sentence', async () => {
  const { controlPlane } = await running(await temporaryDirectory());
  const persistDirectory = await temporaryDirectory();
  const again = startControlPlane({
    bundle,
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory,
    port: Number(new URL(controlPlane.url).port),
    secrets,
    logFile: join(persistDirectory, 'control-plane.log'),
  });
  await expect(again).rejects.toMatchObject({ code: 'control_plane_failed' });
});
