/** Imports over the API: what is queued, what becomes of the URL, and what is refused. The host is played here. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { createClient, deps, insertKey, insertProject, type Json } from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

const password = 'tell-nobody';
const sourceUrl = `postgres://app:${password}@db.example.com:5433/shop?sslmode=require`;
const path = '/import/postgres-url';

async function database(engine = 'postgres', { isDeployed = true } = {}) {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({
    kind: 'database',
    repoFullName: `database:${engine}`,
    generatedHostname: null,
    lastDeployedAt: isDeployed ? 1 : null,
    status: isDeployed ? 'active' : 'idle',
  });
  if (isDeployed)
    await insertDeploymentOf(service.id, {
      job: { state: 'succeeded', finishedAt: 1 },
      deployment: { status: 'running', finishedAt: 1 },
    });
  const base = `/api/services/${service.id}/database`;
  const send = (method: string, where: string, body?: unknown) =>
    call(method, `${base}${where}`, { token, ...(body === undefined ? {} : { body }) });
  /** Asked while the host says which tables there are. */
  async function asked(body: Json = { sourceUrl }, tables: Json[] = []) {
    const answer = send('POST', path, body);
    const { id } = await runner.next('request');
    runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: { tables } } });
    return await answer;
  }
  const listed = async (id: string): Promise<Json> =>
    (await send('GET', '/imports')).body.imports.find((one: Json) => one.id === id);
  return { host, runner, service, send, asked, listed };
}

const sealedOf = async (importId: string) =>
  (
    await env.DB.prepare('select sealed_source as sealed from imports where id = ?')
      .bind(importId)
      .first<{ sealed: string | null }>()
  )?.sealed;

test('an import runs when the request is answered; its URL reaches the host alone, and is gone at the end', async () => {
  const bench = await database();
  const { status, body } = await bench.asked();
  expect([status, body.result]).toEqual([
    200,
    {
      id: expect.stringMatching(/^imp_/),
      status: 'running',
      source: 'postgres-url',
      createdAt: expect.any(String),
    },
  ]);
  const { id } = body.result;
  const start = await bench.runner.next('start');
  expect(start.spec).toMatchObject({
    kind: 'import',
    importId: id,
    source: 'postgres-url',
    engine: 'postgres',
    safetyBackupId: null,
  });
  expect(JSON.stringify(start)).not.toContain(password);
  expect(await bench.runner.openBox(start)).toMatchObject({ sourceUrl });
  const sealed = await sealedOf(id);
  expect(sealed).toBeTruthy();
  expect(sealed).not.toContain(password);
  const progress = { done: 3, total: 9, unit: 'rows' as const };
  await bench.runner.report(start, { type: 'phase', phase: 'load', facts: { progress } });
  expect(await bench.listed(id)).toMatchObject({
    status: 'running',
    progress,
    sourceLabel: 'db.example.com/shop',
    serviceId: bench.service.id,
    engine: 'postgres',
    finishedAt: null,
  });
  await bench.runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect(await bench.listed(id)).toMatchObject({
    status: 'succeeded',
    progress: null,
    error: null,
    finishedAt: expect.any(String),
  });
  expect(await sealedOf(id)).toBeNull();
  expect((await bench.send('GET', '/imports')).text).not.toContain(password);
});

test('a failed import reports its reason, and its URL is gone too', async () => {
  const bench = await database('timescale');
  const { id } = (await bench.asked()).body.result;
  const start = await bench.runner.next('start');
  const result = { outcome: 'failed', code: 'import_failed', message: 'It broke.', facts: {} } as const;
  await bench.runner.report(start, { type: 'result', result });
  expect(await bench.listed(id)).toMatchObject({ status: 'failed', error: 'It broke.' });
  expect(await sealedOf(id)).toBeNull();
});

test('an import into a filled database is 409 unless it may replace the data, which is then backed up', async () => {
  const bench = await database();
  const kept = { id: 'public.kept', name: 'kept', schema: 'public', rowCount: 1, columns: [] };
  expect(await bench.asked({ sourceUrl }, [kept])).toMatchObject({
    status: 409,
    body: { code: 'conflict', error: expect.stringMatching(/it has kept.*"replace": true/) },
  });
  expect((await bench.send('GET', '/imports')).body).toEqual({ imports: [] });
  const { id } = (await bench.send('POST', path, { sourceUrl, replace: true })).body.result;
  const start = await bench.runner.next('start');
  if (start.spec.kind !== 'import') throw new Error('no import');
  const { safetyBackupId } = start.spec;
  const archive = {
    ...{ sizeBytes: 42, checksum: `sha256:${'a'.repeat(64)}`, localPath: '/data/bak', remoteKey: null },
    ...{ tables: 1, rows: 1 },
  };
  await bench.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive } },
  });
  expect(await bench.listed(id)).toMatchObject({ status: 'succeeded', safetyBackupId });
  const { backups } = (await bench.send('GET', '/backups')).body;
  expect(backups).toMatchObject([{ id: safetyBackupId, status: 'succeeded', trigger: 'pre-restore' }]);
});

test('an import that is refused before its safety copy leaves no row of one', async () => {
  const bench = await database();
  const { id } = (await bench.send('POST', path, { sourceUrl, replace: true })).body.result;
  const { safetyBackupId } = await bench.listed(id);
  expect((await bench.send('GET', '/backups')).body.backups).toMatchObject([{ id: safetyBackupId }]);
  const start = await bench.runner.next('start');
  const result = { outcome: 'failed', code: 'import_refused', message: 'No.', facts: {} } as const;
  await bench.runner.report(start, { type: 'result', result });
  expect(await bench.listed(id)).toMatchObject({ status: 'failed', error: 'No.', safetyBackupId: null });
  expect((await bench.send('GET', '/backups')).body.backups).toEqual([]);
});

test.each([
  ['# Keyspace\r\ndb3:keys=2,expires=0\r\ndb7:keys=1,expires=1\r\n', 409],
  ['# Keyspace\r\n', 200],
])('an import into a Redis looks at all of its logical databases: %j is %i', async (value, status) => {
  const bench = await database('redis');
  const answer = bench.send('POST', '/import/redis-url', {
    sourceUrl: `redis://:${password}@cache.example.com`,
  });
  const { id, ask } = await bench.runner.next('request');
  expect(ask).toMatchObject({ ask: { action: 'query', text: 'INFO keyspace' } });
  const table = { columns: [{ name: 'value', type: 'string' }], rows: [{ value }] };
  const outcome = { ok: true as const, value: { ...table, rowCount: 1, truncated: false } };
  bench.runner.send({ v: 1, type: 'response', id, outcome });
  const answered = await answer;
  expect(answered.status, JSON.stringify(answered.body)).toBe(status);
  if (status === 409)
    expect(answered.body.error).toMatch(
      /it has the logical database 3 \(keys: 2\) and 1 more\. Send "replace": true/,
    );
  else
    expect(await bench.listed(answered.body.result.id)).toMatchObject({
      engine: 'redis',
      sourceLabel: 'cache.example.com/*',
    });
});

test('an import is the only job on its data at a time, and can be aborted while it runs', async () => {
  const bench = await database();
  const { id } = (await bench.asked()).body.result;
  expect(await bench.send('POST', '/backups', { storage: 'disk' })).toMatchObject({ status: 409 });
  expect(await bench.asked()).toMatchObject({ status: 409 });
  const start = await bench.runner.next('start');
  expect((await bench.send('POST', `/imports/${id}/abort`)).body).toEqual({ accepted: true });
  expect((await bench.runner.next('abort')).job).toBe(start.job);
  await bench.runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
  expect(await bench.listed(id)).toMatchObject({ status: 'failed', error: 'It was aborted.' });
  expect(await bench.send('POST', `/imports/${id}/abort`)).toMatchObject({
    status: 409,
    body: { code: 'cannot_abort' },
  });
});

test('an import keeps its service in the project: the URL is sealed with that project’s key', async () => {
  const bench = await database();
  await bench.asked();
  const { id: targetProjectId } = await insertProject({ tenantId: 'default' });
  const transfer = await call('POST', `/api/services/${bench.service.id}/transfer`, {
    token,
    body: { targetProjectId },
  });
  expect(transfer).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/import .* is in progress/i) },
  });
});

test('an import of another engine, into a service that is not deployed, or without its host is refused', async () => {
  // What can never be right is refused first, also while the service is not deployed.
  for (const redis of [await database('redis'), await database('redis', { isDeployed: false })])
    expect(await redis.send('POST', path, { sourceUrl })).toMatchObject({
      status: 400,
      body: { code: 'unsupported' },
    });
  const idle = await database('postgres', { isDeployed: false });
  expect(await idle.send('POST', path, { sourceUrl })).toMatchObject({ status: 409 });
  const away = await database();
  await away.runner.disconnect();
  await expect
    .poll(async () => (await away.send('POST', path, { sourceUrl })).body.code)
    .toBe('runner_offline');
});

test.each([
  ['', /must have the form postgres:/],
  ['mysql://a:b@c/d', /must have the form postgres:/],
  ['postgres:///shop', /must contain exactly one host/],
  ['postgres://app:x@a,b/shop', /exactly one host/],
  ['postgres://app:x@%2Fvar%2Frun/shop', /host/],
  ['postgres://app:x@db.example.com', /no database/],
  ['postgres://db.example.com/shop', /no user/],
  ['postgres://app:x@db.example.com/shop#y', /fragment/],
  ['postgres://app:x@db.example.com/shop?host=/var/run', /parameter "host"/],
  ['postgres://app:x@db.example.com/shop?hostaddr=127.0.0.1', /parameter "hostaddr"/],
  ['postgres://app:x@db.example.com/shop?sslmode=maybe', /sslmode must be one of/],
  ['postgres://app:a b@db.example.com/shop', /a space or a control character/],
  ['postgres://app:%ff@db.example.com/shop', /password is not percent-encoded/],
  [`postgres://app:x@db.example.com/${'s'.repeat(5000)}`, /characters/],
])('an import from %j is refused, with the field and the reason, and without the URL', async (url, why) => {
  const bench = await database();
  const refused = await bench.send('POST', path, { sourceUrl: url });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^The field "sourceUrl" is wrong: /) },
  });
  expect(refused.body.error).toMatch(why);
  if (url !== '') expect(refused.text).not.toContain(url);
});

test('a POST that is repeated with the same Idempotency-Key starts one import', async () => {
  const bench = await database();
  const headers = { 'idempotency-key': `import-${deps.newId('import')}` };
  const once = () =>
    call('POST', `/api/services/${bench.service.id}/database${path}`, {
      token,
      headers,
      body: { sourceUrl, replace: true },
    });
  const [first, second] = [await once(), await once()];
  expect(second.body).toEqual(first.body);
  expect((await bench.send('GET', '/imports')).body.imports).toHaveLength(1);
});
