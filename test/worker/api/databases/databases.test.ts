/** Browsing and editing databases, with a host that answers as told. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, test, vi } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import type { HostRequestOf } from '../../../../protocol/host-request.ts';
import { createClient, insertKey, type Json, type Reply } from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner, hubOf } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

afterEach(() => vi.restoreAllMocks());

type Outcome = { ok: true; value: unknown } | { ok: false; code: string; message: string };

const addDatabase = (host: TestHost, engine = 'postgres', fields: Json = {}) =>
  host.addService({
    kind: 'database',
    repoUrl: 'database',
    repoFullName: `database:${engine}`,
    generatedHostname: null,
    lastDeployedAt: 1,
    status: 'active',
    ...fields,
  });

async function connected(engine = 'postgres') {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  return { host, runner, service: await addDatabase(host, engine) };
}

const at = (serviceId: string, path: string) => `/api/services/${serviceId}/database${path}`;

/** Answers the next question. @returns it */
async function answer(runner: FakeRunner, outcome: Outcome): Promise<HostRequestOf<'database'>> {
  const { id, ask } = await runner.next('request');
  runner.send({ v: protocolVersion, type: 'response', id, outcome });
  if (ask.op !== 'database') throw new Error(`a ${ask.op} came`);
  return ask;
}

async function played(
  engine: string,
  [method, path, body]: [string, string, unknown?],
  value: unknown,
): Promise<{ reply: Reply; asked: HostRequestOf<'database'> }> {
  const { runner, service } = await connected(engine);
  const sent = call(method, at(service.id, path), { token, ...(body === undefined ? {} : { body }) });
  const [reply, asked] = await Promise.all([sent, answer(runner, { ok: true, value })]);
  expect(asked).toMatchObject({ op: 'database', serviceId: service.id, engine });
  return { reply, asked };
}

const columns = [{ name: 'id', type: 'int4', primary: true }];

const table = { id: 'public.a', name: 'a', schema: 'public', rowCount: 3 };

test('tables are requested and answered', async () => {
  const { reply, asked } = await played('postgres', ['GET', '/tables'], { tables: [table] });
  expect(asked.ask).toEqual({ action: 'tables' });
  expect(reply.body).toEqual({ engine: 'postgres', tables: [table] });
});

test('tables of Redis are requested by database, filter and page', async () => {
  const path = '/tables?database=3&match=user:*&cursor=17';
  const { reply, asked } = await played('redis', ['GET', path], { tables: [], cursor: null });
  expect(asked.ask).toEqual({ action: 'tables', database: 3, match: 'user:*', cursor: '17' });
  expect(reply.body).toEqual({ engine: 'redis', tables: [], cursor: null });
});

test('rows are requested from the first, 50 by default', async () => {
  const value = { columns, rows: [{ id: 1 }], total: 1 };
  const { reply, asked } = await played('mysql', ['GET', '/rows?table=app.a'], value);
  expect(asked.ask).toEqual({ action: 'rows', table: 'app.a', limit: 50, offset: 0 });
  expect(reply.body).toEqual({ engine: 'mysql', table: 'app.a', limit: 50, offset: 0, ...value });
});

test('rows of Redis come with the time to live', async () => {
  const value = { columns, rows: [], total: 0, ttl: 12.5 };
  const path = '/rows?table=k&limit=500&offset=7&database=0';
  const { reply, asked } = await played('redis', ['GET', path], value);
  expect(asked.ask).toEqual({ action: 'rows', table: 'k', limit: 500, offset: 7, database: 0 });
  expect(reply.body).toMatchObject({ ttl: 12.5, limit: 500, offset: 7 });
});

test.each([
  ['rows', Array.from({ length: 1_000 }, () => ({ id: 1 }))],
  ['bytes', []],
] as const)('a shortened answer names the limit that cut it: %s', async (truncatedBy, rows) => {
  const value = { columns: [{ name: 'id', type: 'int4' }], rows, rowCount: rows.length, truncated: true };
  const { reply } = await played('postgres', ['POST', '/query', { sql: 'SELECT 1' }], value);
  expect(reply.body).toEqual({ ...value, truncatedBy });
});

test('a query is asked and answered', async () => {
  const value = {
    columns: [{ name: 'n', type: 'int8' }],
    rows: [{ n: '9007199254740993' }],
    rowCount: 1,
    truncated: false,
  };
  const sql = 'select 9007199254740993 as n -- ü \u2028 "';
  const { reply, asked } = await played('postgres', ['POST', '/query', { sql }], value);
  expect(asked.ask).toEqual({ action: 'query', text: sql });
  expect([reply.status, reply.body]).toEqual([200, value]);
});

test('inserts, updates and deletes are asked and answered', async () => {
  const values = { a: null, b: [1, { c: true }], d: 'x' };
  const insert = { table: 't', values };
  const inserted = await played('mongodb', ['POST', '/rows', insert], { id: '7' });
  expect(inserted.asked.ask).toEqual({ action: 'insert', ...insert });
  expect(inserted.reply.body).toEqual({ ok: true, table: 't', id: '7' });
  const update = { ...insert, primaryKey: { _id: '7' } };
  const updated = await played('mongodb', ['PATCH', '/rows', update], {});
  expect(updated.asked.ask).toEqual({ action: 'update', ...update });
  expect(updated.reply.body).toEqual({ ok: true });
  const remove = { table: 't', primaryKey: { _id: '7' } };
  const removed = await played('mongodb', ['DELETE', '/rows', remove], {});
  expect(removed.asked.ask).toEqual({ action: 'delete', ...remove });
  expect(removed.reply.body).toEqual({ ok: true });
});

test('an answer of 4 MB is passed on whole', async () => {
  const rows = Array.from({ length: 400 }, (_, id) => ({ id, text: 'é"\\'.repeat(1_600) }));
  const value = { columns, rows, total: 400 };
  expect(new TextEncoder().encode(JSON.stringify(value)).byteLength).toBeGreaterThan(3_500_000);
  const { reply } = await played('postgres', ['GET', '/rows?table=a&limit=500'], value);
  expect(reply.body.rows).toEqual(rows);
});

const row = { id: 1 };
test.each<[string, string, string, unknown, string]>([
  ['GET', '/rows', 'postgres', undefined, '"table" is missing'],
  ['GET', '/rows?table=', 'postgres', undefined, '"table" is empty'],
  ['GET', '/rows?table=a&limit=501', 'postgres', undefined, '"limit" must be a whole number from 1 to 500'],
  ['GET', '/rows?table=a&limit=0', 'postgres', undefined, '"limit" must be'],
  ['GET', '/rows?table=a&offset=-1', 'postgres', undefined, '"offset" must be a whole number from 0'],
  ['GET', '/rows?table=a&order=b', 'postgres', undefined, '"order" does not exist'],
  ['GET', '/rows?table=a&database=0', 'mysql', undefined, '"database" is only for Redis'],
  ['GET', '/tables?database=0', 'postgres', undefined, '"database" is only for Redis'],
  ['GET', '/tables?cursor=0', 'mongodb', undefined, '"cursor" is only for Redis'],
  ['GET', '/tables?database=x', 'redis', undefined, '"database" must be a whole number'],
  ['POST', '/query', 'postgres', {}, '"sql" is missing'],
  ['POST', '/query', 'postgres', { sql: '' }, '"sql" is empty'],
  ['POST', '/query', 'postgres', { sql: 'a', database: 1 }, '"database" is only for Redis'],
  ['POST', '/query', 'redis', { sql: 'a', database: -1 }, '"database" must be the number'],
  ['POST', '/query', 'redis', { sql: 'a', limit: 1 }, '"limit" does not exist'],
  ['POST', '/rows', 'postgres', { table: 'a' }, '"values" is missing'],
  ['POST', '/rows', 'postgres', { table: 'a', values: [1] }, '"values" must be a JSON object'],
  ['PATCH', '/rows', 'postgres', { table: 'a', primaryKey: {}, values: row }, '"primaryKey" is empty'],
  ['PATCH', '/rows', 'postgres', { table: 'a', primaryKey: row, values: {} }, '"values" is empty'],
  ['PATCH', '/rows', 'postgres', { table: 'a', values: row }, '"primaryKey" is missing'],
  ['DELETE', '/rows', 'postgres', { table: 'a', primaryKey: {} }, '"primaryKey" is empty'],
  ['DELETE', '/rows', 'postgres', undefined, 'The body is missing'],
])('%s %s of %s with %j is refused before a host is asked', async (method, path, engine, body, sentence) => {
  const service = await addDatabase(await newHost(), engine);
  const sent = body === undefined ? {} : { body };
  const reply = await call(method, at(service.id, path), { token, ...sent });
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  expect(reply.body.error).toContain(sentence);
});

test('a statement of more than 64 KB is refused before a host is asked', async () => {
  const service = await addDatabase(await newHost());
  const body = { sql: 'ü'.repeat(32 * 1024 + 1) };
  const reply = await call('POST', at(service.id, '/query'), { token, body });
  expect([reply.status, reply.body.code]).toEqual([413, 'payload_too_large']);
  expect(reply.body.error).toContain('"sql"');
});

test('a service that is not a database is refused before a host is asked', async () => {
  const service = await (await newHost()).addService({ lastDeployedAt: 1 });
  const reply = await call('GET', at(service.id, '/tables'), { token });
  expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
  expect(reply.body.error).toContain('is not a database');
});

test.each([
  ['idle', /not deployed yet: deploy it with POST/],
  ['building', /is being deployed for the first time/],
  ['failed', /never been deployed successfully/],
] as const)(
  'a database that never ran (%s) is refused although its host is away',
  async (status, sentence) => {
    const service = await addDatabase(await newHost(), 'postgres', { status, lastDeployedAt: null });
    const reply = await call('GET', at(service.id, '/tables'), { token });
    expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
    expect(reply.body.error).toMatch(sentence);
  },
);

test.each([
  ['invalid_request', 400],
  ['unsupported', 400],
  ['not_found', 404],
  ['conflict', 409],
  ['unavailable', 503],
])('a refusal "%s" is %i, in the engine\'s words', async (code, status) => {
  const { runner, service } = await connected();
  const message = `the engine's sentence about ${code}, at position 8`;
  const sent = call('POST', at(service.id, '/query'), { token, body: { sql: 'selec' } });
  const [reply] = await Promise.all([sent, answer(runner, { ok: false, code, message })]);
  expect([reply.status, reply.body.code, reply.body.error]).toEqual([status, code, message]);
});

test('an answer that never comes is 504, and leaves the outcome of a change unknown', async () => {
  for (const [method, path, body, sentence] of [
    ['GET', '/tables', undefined, 'The connection was lost. Try again.'],
    ['POST', '/query', { sql: 'x' }, /^The connection was lost. The result is unknown: check the data/],
  ] as const) {
    const { runner, service } = await connected();
    const sent = call(method, at(service.id, path), { token, ...(body ? { body } : {}) });
    const lost = { ok: false, code: 'timeout', message: 'The connection was lost.' } as const;
    const [reply] = await Promise.all([sent, answer(runner, lost)]);
    expect([reply.status, reply.body.code]).toEqual([504, 'timeout']);
    expect(reply.body.error).toMatch(sentence);
  }
});

test('a database that is down is refused with what to do, during a deployment with waiting', async () => {
  const { runner, service } = await connected();
  const down = { ok: false, code: 'not_running', message: 'It is stopped: deploy it.' } as const;
  const refused = async (outcome: Outcome) => {
    const sent = call('POST', at(service.id, '/query'), { token, body: { sql: 'select 1' } });
    const [reply] = await Promise.all([sent, answer(runner, outcome)]);
    return [reply.status, reply.body.code, reply.body.error];
  };
  expect(await refused(down)).toEqual([409, 'conflict', down.message]);
  const { deployment } = await insertDeploymentOf(service.id, { deployment: { status: 'building' } });
  const sentence = `The database is being deployed (${deployment.id}): try again when that has ended.`;
  expect(await refused(down)).toEqual([409, 'conflict', sentence]);
  const duplicate = { ok: false, code: 'conflict', message: 'duplicate key' } as const;
  expect(await refused(duplicate)).toEqual([409, 'conflict', 'duplicate key']);
});

test('another trouble of the host is unavailable, and so is an answer in another shape', async () => {
  for (const outcome of [
    { ok: false, code: 'internal', message: 'Docker is not available on this host.' },
    { ok: true, value: { rows: 'none' } },
  ] as const) {
    const { runner, service } = await connected();
    const sent = call('GET', at(service.id, '/rows?table=a'), { token });
    const [reply] = await Promise.all([sent, answer(runner, outcome)]);
    expect([reply.status, reply.body.code]).toEqual([503, 'unavailable']);
    expect(reply.body.error).toMatch(/Docker is not available|update the runner/);
  }
});

test('a host that is away is refused with the note that nothing was done', async () => {
  const service = await addDatabase(await newHost());
  const reply = await call('GET', at(service.id, '/tables'), { token });
  expect([reply.status, reply.body.code]).toEqual([503, 'runner_offline']);
  expect(reply.body.error).toMatch(/not connected. Nothing was done: start its runner/);
});

test('a host that is lost with the question is 504, and leaves the outcome of a change unknown', async () => {
  for (const [method, path, body, sentence] of [
    ['GET', '/tables', undefined, /Try again/],
    ['POST', '/query', { sql: 'delete from a' }, /result is unknown: check the data before you repeat it/],
  ] as const) {
    const { runner, service } = await connected();
    const sent = call(method, at(service.id, path), { token, ...(body ? { body } : {}) });
    await runner.next('request');
    await runner.disconnect();
    const reply = await sent;
    expect([reply.status, reply.body.code]).toEqual([504, 'timeout']);
    expect(reply.body.error).toMatch(sentence);
  }
});

test('a hub that is lost with the question, as by an update, is 504 too', async () => {
  const { host, runner, service } = await connected();
  const sent = call('POST', at(service.id, '/query'), { token, body: { sql: 'delete from a' } });
  await runner.next('request');
  await runInDurableObject(hubOf(host.runnerId), (_, ctx) => ctx.abort('its code was updated')).catch(
    () => {},
  );
  const reply = await sent;
  expect([reply.status, reply.body.code]).toEqual([504, 'timeout']);
});

test('values of users are in no log and no audit entry, whether a question succeeds or fails', async () => {
  const said: unknown[] = [];
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, level).mockImplementation((...words) => void said.push(...words));
  const canary = 'canary-7f3a';
  const body = { table: 't', primaryKey: { id: canary }, values: { a: canary } };
  const outcomes: Outcome[] = [
    { ok: true, value: {} },
    { ok: true, value: [canary] },
    { ok: false, code: 'conflict', message: `the value ${canary} is taken` },
  ];
  for (const outcome of outcomes) {
    const { runner, service } = await connected();
    const sent = call('PATCH', at(service.id, '/rows'), { token, body });
    await Promise.all([sent, answer(runner, outcome)]);
  }
  const { service } = await connected().then(async ({ runner, service: one }) => {
    await runner.disconnect();
    return { service: one };
  });
  await call('POST', at(service.id, '/query'), { token, body: { sql: `select '${canary}'` } });
  const { results } = await env.DB.prepare('select * from audit_log').all();
  expect(results.filter((entry) => entry.resource_id === service.id)).toMatchObject([
    { route: 'POST /api/services/:serviceId/database/query', status: 503 },
  ]);
  expect(JSON.stringify([said.map(String), results])).not.toContain(canary);
});

const insert = (serviceId: string, key: string) =>
  call('POST', at(serviceId, '/rows'), {
    token,
    body: { table: 't', values: { a: 1 } },
    headers: { 'idempotency-key': key },
  });

test('an insert with an Idempotency-Key is carried out once: the repeat gets the first answer', async () => {
  const { runner, service } = await connected();
  const key = crypto.randomUUID();
  const [first] = await Promise.all([
    insert(service.id, key),
    answer(runner, { ok: true, value: { id: 7 } }),
  ]);
  const again = await insert(service.id, key);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('an insert whose answer was lost is never repeated automatically', async () => {
  const { host, runner, service } = await connected();
  const key = crypto.randomUUID();
  const lost = insert(service.id, key);
  await runner.next('request');
  await runner.disconnect();
  expect((await lost).status).toBe(504);
  const back = await FakeRunner.connect(host.keys, { bootId: 'boot-2' });
  for (let times = 0; times < 3; times++) {
    const again = await insert(service.id, key);
    expect([again.status, again.body.code]).toEqual([504, 'timeout']);
    expect(again.body.error).toContain('Check whether the row exists');
  }
  expect(back.unreadNow).not.toContain('request');
});

test('an insert that never reached a host is carried out by its repeat', async () => {
  const host = await newHost();
  const service = await addDatabase(host);
  const key = crypto.randomUUID();
  expect((await insert(service.id, key)).body.code).toBe('runner_offline');
  const runner = await FakeRunner.connect(host.keys);
  const repeat = insert(service.id, key);
  await answer(runner, { ok: true, value: { id: 7 } });
  expect((await repeat).body).toEqual({ ok: true, table: 't', id: 7 });
});
