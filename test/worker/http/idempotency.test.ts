/** `Idempotency-Key`: a POST that creates something is carried out once, whatever gets lost. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { routes } from '../../../worker/routes.ts';
import type { Database } from '../../../worker/store/sql/database.ts';
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
} from '../../support/worker/api.ts';
import { storeThatLosesAnswerOf } from '../../support/worker/d1/failing-store.ts';

const hour = 3_600_000;
let now = Date.now();
let key: string;

const clientOn = (db: Database = deps.db) =>
  createClient({ dependenciesOf: () => ({ ...deps, db, now: () => now }) });

const call = clientOn();
const token = (await insertKey()).token;
const project = await insertProject();
const service = await insertService({ projectId: project.id, runnerId: (await insertRunner()).id });

beforeEach(() => {
  key = crypto.randomUUID();
});

const post = (path: string, body?: unknown, { as = token, by = call, headers = {} } = {}) =>
  by('POST', path, {
    token: as,
    ...(body === undefined ? {} : { body }),
    headers: { 'idempotency-key': key, ...headers },
  });
const deploy = (by = call) => post(`/api/services/${service.id}/deployments`, undefined, { by });
const count = async (table: string): Promise<number> =>
  (await env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')) ?? 0;

test('every POST is declared as creating something, except those known to create nothing', () => {
  const silent = routes
    .filter(({ method, creates }) => method === 'POST' && !creates)
    .filter(({ access }) => access !== 'signed' && access !== 'public')
    .map(({ path }) => path.replace(/^.*:\w+\//, ''));
  expect(silent.sort()).toEqual([
    '/api/identities/attempts',
    '/api/passkeys/options',
    '/api/sessions',
    '/api/sign-in/device/allow', // works once
    '/api/sign-in/device/deny',
    '/api/sign-in/device/find',
    '/api/system/dns-providers',
    '/api/system/restored',
    '/api/system/sessions',
    '/api/system/settings/event-webhook/test',
    'abort',
    'abort',
    'abort',
    'abort',
    'abort',
    'data-keys',
    'database/query',
    'database/upgrade/abort',
    'dns-records',
    'explain-crash',
    'explain-failure',
    'explain-failure',
    'host-port',
    'prove/abort',
    'prove/abort',
    'purge',
    'restore/abort',
    'restore/abort',
    'rotate',
    'shells',
    'source-plans',
    'test',
    'test',
    'test',
    'test',
    'transfer',
    'upgrade',
  ]);
});

test('a repeated request is answered with the same bytes and creates nothing', async () => {
  const first = await post('/api/projects', { name: 'Once' });
  const before = await count('projects');
  const second = await post('/api/projects', { name: 'Once' });
  expect([second.status, second.text]).toEqual([200, first.text]);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await count('projects')).toBe(before);
});

test('the same request gets the once-shown token again, which is nowhere in the clear', async () => {
  const body = { name: 'ci', access: 'read', projects: 'all' };
  const first = await post('/api/system/keys', body, { as: operatorToken });
  const second = await post('/api/system/keys', body, { as: operatorToken });
  expect(second.body.token).toBe(first.body.token);
  const { results } = await env.DB.prepare('select * from idempotency_keys').all();
  expect(JSON.stringify(results)).not.toContain(first.body.token.slice(12));
});

test('a repeated request with another body, path or query is a conflict', async () => {
  await post('/api/projects', { name: 'One' });
  for (const other of [
    () => post('/api/projects', { name: 'Two' }),
    () => post('/api/projects?x=1', { name: 'One' }),
    () => deploy(),
  ]) {
    const reply = await other();
    expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(reply.headers.get('retry-after')).toBeNull();
  }
});

test('the same request by another API key is a separate request', async () => {
  const other = (await insertKey({ tenantId: await insertTenant('apart') })).token;
  const [mine, theirs] = [
    await post('/api/projects', { name: 'Same' }),
    await post('/api/projects', { name: 'Same' }, { as: other }),
  ];
  expect(theirs.status).toBe(200);
  expect(theirs.body.project.id).not.toBe(mine.body.project.id);
});

test('the same request after 24 h is a new one', async () => {
  const first = await post('/api/projects', { name: 'Daily' });
  now += 24 * hour;
  const second = await post('/api/projects', { name: 'Daily' });
  expect(second.body.project.id).not.toBe(first.body.project.id);
  expect(second.body.project.slug).toBe('daily-2');
});

test('the same request is refused once the caller is no longer permitted', async () => {
  const doomed = await insertKey();
  expect((await post('/api/projects', { name: 'Gone' }, { as: doomed.token })).status).toBe(200);
  await env.DB.prepare('update api_keys set revoked_at = 1 where id = ?').bind(doomed.id).run();
  expect((await post('/api/projects', { name: 'Gone' }, { as: doomed.token })).status).toBe(401);
});

test('one of many simultaneous requests is carried out, and the others get Retry-After', async () => {
  const before = await count('deployments');
  const replies = await Promise.all(Array.from({ length: 6 }, () => deploy()));
  expect(await count('deployments')).toBe(before + 1);
  for (const { status, body, headers } of replies) {
    if (status === 200) continue;
    expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'idempotency_conflict', '1']);
  }
  const answered = replies.filter(({ status }) => status === 200);
  expect((await deploy()).body).toEqual(answered[0]?.body);
});

test('a refused request leaves the key free: the corrected request is carried out', async () => {
  const path = `/api/projects/${project.id}/services`;
  const taken = {
    name: 'x',
    repoUrl: 'container-image',
    imageRef: 'nginx',
    runnerId: 'run_0000000000000000',
  };
  expect((await post(path, taken)).status).toBeGreaterThanOrEqual(400);
  const { runnerId: _, ...right } = taken;
  expect((await post(path, right)).status).toBe(200);
});

test.each(['', 'a b', 'a\tb', 'x'.repeat(256)])(
  'an Idempotency-Key of another form is 400: %j',
  async (malformed) => {
    const headers = { 'idempotency-key': malformed };
    const reply = await call('POST', '/api/projects', { token, body: { name: 'x' }, headers });
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
  },
);

test('a repeat after a lost answer finds the one deployment', async () => {
  const before = await count('deployments');
  const lost = await deploy(clientOn(storeThatLosesAnswerOf('deployments')));
  expect(lost.status).toBe(503);
  expect(await count('deployments')).toBe(before + 1);
  const found = await deploy();
  expect([found.status, found.body.deployment.status]).toEqual([200, 'queued']);
  expect(await count('deployments')).toBe(before + 1);
  const again = await deploy();
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([found.text, 'true']);
});

test.each([
  ['projects', '/api/projects', { name: 'Lost' }],
  ['services', undefined, { name: 'Lost', repoUrl: 'container-image', imageRef: 'nginx' }],
  ['domains', undefined, { hostname: 'lost.example.com' }],
])('a repeat after a lost answer finds the one of %s', async (table, path, body) => {
  const ofTable: Record<string, string> = {
    services: `/api/projects/${project.id}/services`,
    domains: `/api/services/${service.id}/domains`,
  };
  const where = path ?? ofTable[table] ?? '';
  const before = await count(table);
  expect((await post(where, body, { by: clientOn(storeThatLosesAnswerOf(table)) })).status).toBe(503);
  expect(await count(table)).toBe(before + 1);
  const found = await post(where, body);
  expect(found.status).toBe(200);
  expect(await count(table)).toBe(before + 1);
  expect((await post(where, body)).text).toBe(found.text);
});

test('a repeat after the lost answer of a new API key finds it and gives it a working token', async () => {
  const body = { name: 'lost', access: 'read', projects: 'all' };
  const by = clientOn(storeThatLosesAnswerOf('api_keys'));
  expect((await post('/api/system/keys', body, { as: operatorToken, by })).status).toBe(503);
  const before = await count('api_keys');
  const found = await post('/api/system/keys', body, { as: operatorToken });
  expect(await count('api_keys')).toBe(before);
  expect((await call('GET', '/api/projects', { token: found.body.token })).status).toBe(200);
});

test('a repeat after the lost answer of the claim itself carries the request out once the lease is over', async () => {
  const before = await count('deployments');
  expect((await deploy(clientOn(storeThatLosesAnswerOf('idempotency_keys')))).status).toBe(503);
  expect((await deploy()).body.code).toBe('idempotency_conflict');
  now += 60_000;
  expect((await deploy()).status).toBe(200);
  expect(await count('deployments')).toBe(before + 1);
});

test('a repeat after the Worker died finds what it had created, once the lease is over', async () => {
  const before = await count('deployments');
  const first = (await deploy()).body.deployment;
  await env.DB.prepare('update idempotency_keys set response = null where idempotency_key = ?')
    .bind(key)
    .run();
  expect((await deploy()).headers.get('retry-after')).toBe('1');
  now += 60_000;
  const found = await deploy();
  expect(found.body.deployment).toEqual(first);
  expect(await count('deployments')).toBe(before + 1);
});

test('of two attempts that run at once against the rules, one insert fails and its repeat finds the other', async () => {
  const before = await count('projects');
  let inside: Promise<Json> | undefined;
  const slow = createClient({
    dependenciesOf: () => ({
      ...deps,
      now: () => now,
      envelope: {
        ...deps.envelope,
        // Within the first attempt, before its insert, a minute goes by and the repeat is carried out.
        async newDataKey(id) {
          now += 60_000;
          inside ??= post('/api/projects', { name: 'Raced' });
          await inside;
          return deps.envelope.newDataKey(id);
        },
      },
    }),
  });
  const late = await post('/api/projects', { name: 'Raced' }, { by: slow });
  expect((await inside)?.status).toBe(200);
  expect(late.status).toBeGreaterThanOrEqual(500);
  expect(await count('projects')).toBe(before + 1);
  expect((await post('/api/projects', { name: 'Raced' })).body).toEqual((await inside)?.body);
});
