/** The Worker as `wrangler deploy` uploads it: minified. The embedded control plane, and so most other tests, run it as it was written. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { runCommand } from '../../local/setup/command.ts';
import { ensureWorkerBundle, type WorkerBundle } from '../../local/worker-bundle/worker-bundle.ts';
import { temporaryDirectory } from '../support/runner/temporary.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const operatorToken = 'test-operator-token-0123456789abcdef';
const secrets = {
  OPERATOR_TOKEN: operatorToken,
  ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI',
};
const buildTimeoutMs = 120_000;
/** The free plan of Cloudflare Workers takes 3 MB: https://developers.cloudflare.com/workers/platform/limits/#worker-size */
const gzippedBytesMax = 950 * 1024;
let bundle: WorkerBundle;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-minified-'));
  const cache = join(projectRoot, 'node_modules/.cache/longshore');
  const written = await ensureWorkerBundle({ projectRoot, cache });
  const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js');
  const args = [wrangler, 'deploy', '--dry-run', '--outdir', directory];
  await runCommand(process.execPath, args, {
    timeoutMs: buildTimeoutMs,
    cwd: projectRoot,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  });
  bundle = { ...written, script: join(directory, 'index.js') };
}, 180_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

test('the Worker that is uploaded stays below 950 KB gzipped', { tags: 'slow' }, async () => {
  expect(gzipSync(await readFile(bundle.script)).length).toBeLessThan(gzippedBytesMax);
});

test('the minified Worker answers, refuses and creates as the one that was written does', {
  tags: 'slow',
}, async () => {
  const persistDirectory = await temporaryDirectory();
  const controlPlane = await startControlPlane({
    bundle,
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory,
    port: 0,
    secrets,
    logFile: join(persistDirectory, 'control-plane.log'),
  });
  onTestFinished(() => controlPlane.stop());
  const call = async (token: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(`${controlPlane.url}${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  const wanted = { name: 'ci', access: 'write', projects: 'all', expiresInDays: null };
  const made = await call(operatorToken, '/api/system/keys', wanted);
  const { token } = made.body as { token: string };
  expect(await call(token, '/api/projects', { name: 'Shop', description: '' })).toMatchObject({
    status: 200,
    body: { project: { slug: 'shop' } },
  });
  expect(await call(token, '/api/projects', { nam: 'Shop' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
  expect(await call('lsk_none', '/api/projects')).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated' },
  });
  const document = await call(token, '/openapi.json');
  expect(Object.keys((document.body as { paths: object }).paths).length).toBeGreaterThan(100);
});
