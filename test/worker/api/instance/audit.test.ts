/** The audit log: every write and every refusal of a known caller, without values; for the operator alone. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { isolateMemory } from '../../../../worker/http/isolate-memory.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';

const day = 86_400_000;
let now = Date.now();

const call = createClient({
  dependenciesOf: () => ({ ...deps, now: () => now }),
  memory: isolateMemory({ signInGatherMs: 0 }),
});
const project = await insertProject();
const key = await insertKey();

beforeEach(async () => {
  now += 60_000;
  await env.DB.batch(['audit_log', 'failed_sign_ins'].map((table) => env.DB.prepare(`delete from ${table}`)));
});

const read = async (query = ''): Promise<Json[]> =>
  (await call('GET', `/api/system/audit${query}`, { token: operatorToken })).body.entries;
const shortOf = (entries: Json[]) => entries.map(({ route, status }) => `${route} ${status}`);

test('a write is logged with who, what, when and from where', async () => {
  const reply = await call('PATCH', `/api/projects/${project.id}`, {
    token: key.token,
    body: { description: 'a secret plan' },
    headers: { 'cf-connecting-ip': '192.0.2.7' },
  });
  const entries = await read();
  expect(entries).toEqual([
    {
      id: expect.stringMatching(/^aud_/),
      tenantId: 'default',
      actor: key.id,
      actedBy: { type: 'key', id: key.id, name: 'test' },
      route: 'PATCH /api/projects/:projectId',
      resourceId: project.id,
      status: 200,
      requestId: reply.headers.get('x-request-id'),
      addressHash: expect.stringMatching(/^[\w-]{43}$/),
      createdAt: new Date(now).toISOString(),
      detail: null,
    },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/secret plan|192\.0\.2/);
});

test('what was created is named by its id; what the operator did has no tenant', async () => {
  const made = await call('POST', '/api/projects', { token: key.token, body: { name: 'Made' } });
  const issued = await call('POST', '/api/system/keys', {
    token: operatorToken,
    body: { name: 'k', access: 'read', projects: 'all' },
  });
  const [ofOperator, ofKey] = await read();
  expect(ofKey).toMatchObject({ actor: key.id, resourceId: made.body.project.id });
  expect(ofOperator).toMatchObject({ actor: 'operator', tenantId: null, resourceId: issued.body.key.id });
});

test('refusals of a known caller are all logged, reads as well', async () => {
  const reader = (await insertKey({ access: 'read' })).token;
  const runner = await insertRunner();
  const service = await insertService({ projectId: project.id, runnerId: runner.id });
  const elsewhere = (await insertKey({ tenantId: await insertTenant('audited') })).token;
  const ask = (method: string, path: string, token: string, body?: unknown) =>
    call(method, path, { token, ...(body === undefined ? {} : { body }) });
  await ask('POST', '/api/projects', reader, { name: 'x' });
  await ask('GET', `/api/services/${service.id}/overview`, elsewhere);
  await ask('GET', '/api/system/keys', key.token);
  await ask('PATCH', `/api/projects/${project.id}`, key.token, { nonsense: 1 });
  await ask('POST', `/api/services/${service.id}/transfer`, key.token, { targetProjectId: project.id });
  await ask('DELETE', '/api/system/keys/key_absent', operatorToken);
  expect(shortOf(await read())).toEqual([
    'DELETE /api/system/keys/:keyId 404',
    'POST /api/services/:serviceId/transfer 409',
    'PATCH /api/projects/:projectId 400',
    'GET /api/system/keys 403',
    'GET /api/services/:serviceId/overview 404',
    'POST /api/projects 403',
  ]);
});

test('refusals by rate limit are logged once per key and minute', async () => {
  await env.DB.prepare(`insert into settings values ('readsPerMinute', '1', 0)`).run();
  now += 60_000;
  for (let left = 4; left > 0; left--) await call('GET', '/api/projects', { token: key.token });
  await env.DB.prepare('delete from settings').run();
  expect(shortOf(await read())).toEqual(['GET /api/projects 429']);
});

test('refusals of unknown callers are not logged: failed sign-ins are only counted', async () => {
  await call('POST', '/api/projects', { token: 'garbage', body: {} });
  await call('GET', '/api/nothing', { token: key.token });
  expect(await read()).toEqual([]);
});

test('a successful read leaves no trace', async () => {
  await call('GET', '/api/projects', { token: key.token });
  await call('GET', '/api/system/keys', { token: operatorToken });
  expect(await read()).toEqual([]);
});

test('a failing audit log fails nothing else', async () => {
  const failing = createClient({
    dependenciesOf: () => ({ ...deps, fingerprint: () => Promise.reject(new Error('broken')) }),
  });
  const reply = await failing('POST', '/api/projects', { token: key.token, body: { name: 'Unlogged' } });
  expect(reply.status).toBe(200);
  expect(await read()).toEqual([]);
});

const write = async (count: number) => {
  for (let left = count; left > 0; left--) {
    now += 1_000;
    await call('PATCH', `/api/projects/${project.id}`, { token: key.token, body: { name: `n${left}` } });
  }
};

test('reading the audit log of all tenants is for the operator alone', async () => {
  expect((await call('GET', '/api/system/audit', { token: key.token })).status).toBe(403);
});

test('reading goes page by page, newest first, also through simultaneous entries', async () => {
  await write(3);
  await Promise.all([
    call('PATCH', `/api/projects/${project.id}`, { token: key.token, body: { name: 'a' } }),
    call('PATCH', `/api/projects/${project.id}`, { token: key.token, body: { name: 'b' } }),
  ]);
  const all = await read();
  const pages = [await read('?limit=2')];
  for (let page = pages[0]; page && page.length > 0; ) {
    page = await read(`?limit=2&before=${page.at(-1).id}`);
    pages.push(page);
  }
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1, 0]);
  expect(pages.flat()).toEqual(all);
});

test('reading the audit log is filtered by actor, tenant, status and time', async () => {
  const other = await insertKey({ access: 'read' });
  await call('POST', '/api/projects', { token: other.token, body: {} });
  const since = new Date(now + 1).toISOString();
  await write(2);
  const until = new Date(now - 1).toISOString();
  expect((await read(`?actor=${other.id}`)).map(({ status }) => status)).toEqual([403]);
  expect(await read('?tenantId=nobody')).toEqual([]);
  expect(await read('?tenantId=default')).toHaveLength(3);
  expect(await read('?status=403')).toHaveLength(1);
  expect(await read(`?since=${since}`)).toHaveLength(2);
  expect(await read(`?since=${since}&until=${until}`)).toHaveLength(1);
});

test.each(['limit=0', 'limit=1001', 'before=aud_0000000000000000', 'since=today', 'limit=1&limit=2'])(
  'the query ?%s is refused',
  async (query) => {
    const reply = await call('GET', `/api/system/audit?${query}`, { token: operatorToken });
    expect(reply.status).toBe(400);
  },
);

test('expired entries, counts and stored answers are removed, and the rest stays', async () => {
  const insert = (createdAt: number, id: string) =>
    env.DB.prepare(
      `insert into audit_log (id, actor, route, status, request_id, address_hash, created_at)
       values (?, 'operator', 'r', 200, 'x', 'y', ?)`,
    ).bind(id, createdAt);
  const minute = (at: number) => Math.floor(at / 60_000);
  await env.DB.batch([
    insert(now - 8 * day, 'old'),
    insert(now - 6 * day, 'young'),
    env.DB.prepare(`insert into failed_sign_ins values (?, 'a', 1), (?, 'a', 2)`).bind(
      minute(now - 8 * day),
      minute(now - 6 * day),
    ),
    env.DB.prepare(
      `insert into idempotency_keys (key_id, idempotency_key, request_hash, created_at) values ('k', 'old', '', ?), ('k', 'young', '', ?)`,
    ).bind(now - day, now - day + 1),
    env.DB.prepare(`insert into settings values ('auditDays', '7', 0)`),
  ]);
  await pruneRecords({ ...deps, now: () => now });
  const left = async (query: string) => (await env.DB.prepare(query).all<Json>()).results;
  expect(await left('select id from audit_log')).toEqual([{ id: 'young' }]);
  expect(await left('select count from failed_sign_ins')).toEqual([{ count: 2 }]);
  expect(await left('select idempotency_key as id from idempotency_keys')).toEqual([{ id: 'young' }]);
});
