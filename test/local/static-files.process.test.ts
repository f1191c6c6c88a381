/** What the embedded control plane serves beside the Worker (local/control-plane/doors.mjs), with the real workerd. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { ensureWorkerBundle } from '../../local/worker-bundle/worker-bundle.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
let url: string;

beforeAll(async () => {
  const persistDirectory = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  const controlPlane = await startControlPlane({
    bundle: await ensureWorkerBundle({
      projectRoot,
      cache: join(projectRoot, 'node_modules/.cache/longshore'),
    }),
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory,
    port: 0,
    secrets: {
      OPERATOR_TOKEN: 'test-operator-token-0123456789abcdef',
      ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI',
    },
    logFile: join(persistDirectory, 'control-plane.log'),
    onRuntimeStart: () => undefined,
  });
  url = controlPlane.url;
  return async () => {
    await controlPlane.stop();
    await rm(persistDirectory, { recursive: true, force: true });
  };
}, 60_000);

/** As written: `fetch` would shorten the path first. */
const ask = (path: string, method = 'GET', sent: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, path, method, headers: sent }, (reply) => {
      const { statusCode: status = 0, headers } = reply;
      void text(reply).then((body) => resolve({ status, headers, body }), reject);
    });
    asked.once('error', reject).end();
  });

const usual = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
};

const folders = [
  '/host',
  '/host/',
  '/cli/',
  '/dashboard/',
  '/dashboard/chunks',
  '/dashboard/chunks/',
  '/docs/guide/',
];

test.each(folders)('the folder %s shows no list of its files', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await ask(path, method);
    expect([status, body.includes('.js')]).toEqual([404, false]);
    expect(headers).toMatchObject(usual);
  }
});

test.each([
  '/host/%2e%2e/',
  '/host/%2e%2e',
  '/host/../',
  '/host/..%2f',
  '/host/%2e%2e%2f%2e%2e%2fworker.js',
  '/host/..\\..\\worker.js',
  '/host//',
  '/host/%2f',
  '/host/.',
  '/dashboard/chunks/../',
  '/dashboard/chunks/%2e%2e',
  '/dashboard/%00',
])('the path %s leads to no list and out of no folder', async (path) => {
  const { headers, body } = await ask(path);
  expect(headers).toMatchObject(usual);
  // A list of workerd's disk: [{"name":"...","type":"file"}, ...].
  expect(body).not.toMatch(/"type":\s*"(file|directory)"/);
  expect(body).not.toContain('export default');
});

test('files, absent files and the installer have the usual headers', async () => {
  const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
  const [script = 'no script'] = /\/dashboard\/[^"]+\.js/.exec(page) ?? [];
  const found = ['/install.sh', '/cli.sh', '/cli/longshore.mjs', '/llms.txt', '/docs/guide/keys.md', script];
  for (const path of found) {
    const { status, headers } = await ask(path);
    expect([path, status]).toEqual([path, 200]);
    expect(headers).toMatchObject(usual);
  }
  const absent = ['/host/absent.tar.gz', '/dashboard/absent.js', '/dashboard/chunks/absent.js', '/ABSENT.md'];
  for (const path of absent) {
    const { status, headers } = await ask(path);
    expect([path, status]).toEqual([path, 404]);
    expect(headers).toMatchObject(usual);
  }
});

test('the dashboard is sent by gzip to clients that accept it, with an ETag, and 304 to those that have it', async () => {
  const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
  const [script = 'no script'] = /\/dashboard\/[^"]+\.js/.exec(page) ?? [];
  const [plain, head] = await Promise.all([ask(script), ask(script, 'HEAD')]);
  expect(head).toMatchObject({ status: 200, body: '', headers: { etag: plain.headers.etag } });
  for (const accepted of ['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=0.8']) {
    const { headers } = await ask(script, 'GET', { 'accept-encoding': accepted });
    expect(headers).toMatchObject({ ...usual, 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(Number(headers['content-length'])).toBeLessThan(plain.body.length / 2);
    expect(headers.etag).not.toBe(plain.headers.etag);
    const seen = { 'accept-encoding': accepted, 'if-none-match': String(headers.etag) };
    expect(await ask(script, 'GET', seen)).toMatchObject({ status: 304, body: '' });
  }
  const unpacked = await (await fetch(url + script)).text();
  expect(unpacked).toBe(plain.body);
  for (const refused of ['identity', 'gzip;q=0', 'br'])
    expect(
      (await ask(script, 'GET', { 'accept-encoding': refused })).headers['content-encoding'],
    ).toBeUndefined();
});

test.each(['PUT', 'DELETE', 'POST', 'PATCH', 'OPTIONS'])('%s changes no static file', async (method) => {
  const before = await ask('/install.sh');
  const { status, headers } = await ask('/install.sh', method);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(headers).toMatchObject(usual);
  expect(await ask('/install.sh').then(({ body }) => body)).toBe(before.body);
});
