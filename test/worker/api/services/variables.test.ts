// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Environment variables, as set by 4.4 and shown by the overview. */
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resolveServiceVariables } from '../../../../worker/usecases/services/resolve-variables.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

let project: Awaited<ReturnType<typeof insertProject>>;
let service: Awaited<ReturnType<typeof insertService>>;

const call = createClient();
const token = (await insertKey()).token;
const runnerId = (await insertRunner()).id;

beforeEach(async () => {
  project = await insertProject();
  service = await insertService({ projectId: project.id, runnerId, slug: 'web' });
});

const set = (key: string, value: string, serviceId = service.id) =>
  call('POST', `/api/services/${serviceId}/env`, { token, body: { key, value } });
const overview = async (serviceId = service.id, as = token) =>
  (await call('GET', `/api/services/${serviceId}/overview`, { token: as })).body;
const shown = async () =>
  Object.fromEntries((await overview()).env.map(({ key, resolvedValue }: Json) => [key, resolvedValue]));

test('a variable is created, changed in place, shown in full and deleted', async () => {
  expect(await set('GREETING', 'hello')).toMatchObject({ status: 200, body: { ok: true } });
  const [first] = (await overview()).env;
  expect(first).toEqual({
    id: expect.stringMatching(/^env_[a-z0-9]{16}$/),
    key: 'GREETING',
    hasValue: true,
    secret: false,
    scope: 'both',
    value: 'hello',
    resolvedValue: 'hello',
    createdAt: expect.stringMatching(/\.\d{3}Z$/),
    updatedAt: expect.stringMatching(/\.\d{3}Z$/),
  });
  await set('GREETING', '');
  expect((await overview()).env).toMatchObject([{ id: first.id, value: '', hasValue: false }]);
  const removed = await call('DELETE', `/api/services/${service.id}/env/${first.id}`, { token });
  expect(removed.body).toEqual({ ok: true });
  expect((await overview()).env).toEqual([]);
  expect((await call('DELETE', `/api/services/${service.id}/env/${first.id}`, { token })).status).toBe(404);
});

test('a variable of one service is not found under another', async () => {
  const other = await insertService({ projectId: project.id, runnerId });
  await set('A', '1');
  const [{ id }] = (await overview()).env;
  expect((await call('DELETE', `/api/services/${other.id}/env/${id}`, { token })).status).toBe(404);
  expect((await overview()).env).toHaveLength(1);
});

test('a key set many times at once becomes one variable', async () => {
  const replies = await Promise.all(['1', '2', '3', '4'].map((value) => set('RACE', value)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await overview()).env).toMatchObject([{ key: 'RACE', value: expect.stringMatching(/^[1-4]$/) }]);
});

test('a bad key is 400, a value over 64 KB and a service over 256 KB are 413', async () => {
  const bad = await set('1A', 'x');
  expect([bad.status, bad.body.error]).toEqual([400, expect.stringContaining('^[A-Z_][A-Z0-9_]*$')]);
  expect((await set('A', 'ä'.repeat(33 * 1024))).status).toBe(413);
  const block = 'x'.repeat(64 * 1024);
  for (const key of ['A', 'B', 'C']) expect((await set(key, block)).status).toBe(200);
  expect((await set('D', block)).status).toBe(413);
  expect((await set('A', 'small')).status).toBe(200);
  expect((await set('D', block)).status).toBe(200);
  const { env: all } = await overview();
  expect(all.find(({ key }: Json) => key === 'D').value).toBe(block);
});

test('references are resolved by slug, by name, and through any depth; what fails stays and warns', async () => {
  const db = await insertService({ projectId: project.id, runnerId, slug: 'main-db', name: 'Main DB' });
  await set('HOST', 'db.internal', db.id);
  await set('URL', 'pg://${HOST}/app', db.id);
  await set('BY_SLUG', '${main-db.URL}', service.id);
  await set('BY_NAME', 'x-${Main DB.HOST}', service.id);
  await set('OWN', '${BY_SLUG}?ssl', service.id);
  await set('LITERAL', '$${main-db.URL}', service.id);
  await set('MISSING', '${main-db.NOPE} ${nobody.X}', service.id);
  await set('LOOP', '${LOOP}', service.id);
  expect(await shown()).toEqual({
    BY_SLUG: 'pg://db.internal/app',
    BY_NAME: 'x-db.internal',
    OWN: 'pg://db.internal/app?ssl',
    LITERAL: '${main-db.URL}',
    MISSING: '${main-db.NOPE} ${nobody.X}',
    LOOP: '${LOOP}',
  });
  const { warnings } = await overview();
  expect(warnings).toHaveLength(3);
  expect(warnings.join('\n')).toMatch(/MISSING.*main-db.*NOPE/);
  const dispatched = await resolveServiceVariables(deps, service, project);
  expect(dispatched).toEqual({ variables: { env: await shown() }, secretKeys: [], warnings });
});

test('references never reach into another project', async () => {
  const elsewhere = await insertProject();
  const secret = await insertService({ projectId: elsewhere.id, runnerId, slug: 'vault' });
  await set('KEY', 'secret', secret.id);
  await set('STOLEN', '${vault.KEY}');
  expect(await shown()).toEqual({ STOLEN: '${vault.KEY}' });
});

const port =
  'PORT: the service sets this variable to a port other than its internalPort 8080, where requests are sent.';
const commit = 'LONGSHORE_COMMIT_SHA: the service sets this variable itself';
const warnings = async (id: string) => (await overview(id)).warnings;

test('platform variables that the service overrides are warned of in the answer, the overview and the deployment log, without their values', async () => {
  const host = await newHost();
  const { id } = await host.addService();
  const first = await set('PORT', '9999', id);
  await set('LONGSHORE_COMMIT_SHA', 'abcdef', id);
  expect(first.body.warnings).toEqual([expect.stringContaining(port)]);
  const expected = [expect.stringContaining(port), expect.stringContaining(commit)];
  expect(await warnings(id)).toEqual(expected);
  expect((await warnings(id)).join()).not.toMatch(/9999|abcdef/);
  const runner = await FakeRunner.connect(host.keys);
  await call('POST', `/api/services/${id}/deployments`, { token });
  expect((await runner.nextDeployment()).spec.warnings).toEqual(expected);
});

test('a service that is created with a PORT of its own is answered with the warning', async () => {
  const env = [{ key: 'PORT', value: '9999' }];
  const body = { name: 'Own port', repoUrl: 'https://git.example/own.git', runnerId, env };
  const path = `/api/projects/${project.id}/services`;
  const { body: answer } = await call('POST', path, { token, body });
  expect(answer.warnings).toEqual([expect.stringContaining(port)]);
});

test.each([
  ['the very port', { internalPort: 9999 }],
  ['a worker, which is given none', { runtimeMode: 'worker' as const }],
  ['a static site, which has no container', { runtimeMode: 'static' as const }],
])('PORT of %s causes no warning', async (_, fields) => {
  const { id } = await insertService({ projectId: project.id, runnerId, ...fields });
  await set('PORT', '9999', id);
  expect(await warnings(id)).toEqual([]);
});

describe('secret and plain variables', () => {
  let reader: string;
  beforeAll(async () => {
    reader = (await insertKey({ access: 'read' })).token;
  });
  const choose = (key: string, value: string, secret?: boolean) =>
    call('POST', `/api/services/${service.id}/env`, { token, body: { key, value, secret } });
  const seen = async (as: string) =>
    Object.fromEntries(
      (await overview(service.id, as)).env.map(({ key, secret, hasValue, value, resolvedValue }: Json) => [
        key,
        [secret, hasValue, value, resolvedValue],
      ]),
    );
  const readKeysSee = async (sees: string) => {
    const body = { readKeysSee: sees };
    const reply = await call('PATCH', '/api/system/settings', { token: operatorToken, body });
    expect(reply.status).toBe(200);
  };

  test('a read key sees the values of plain variables only, written and resolved; a write key sees all', async () => {
    const db = await insertService({ projectId: project.id, runnerId, slug: 'main-db' });
    await set('DB_PASSWORD', 'hunter22', db.id);
    await set('NODE_ENV', 'production');
    await set('API_KEY', 'abcdef');
    await set('URL', 'postgres://app:${main-db.DB_PASSWORD}@db/app');
    await set('COPY', '<${URL}>');
    await set('EMPTY_TOKEN', '');
    const url = 'postgres://app:hunter22@db/app';
    expect(await seen(token)).toEqual({
      NODE_ENV: [false, true, 'production', 'production'],
      API_KEY: [true, true, 'abcdef', 'abcdef'],
      URL: [false, true, 'postgres://app:${main-db.DB_PASSWORD}@db/app', url],
      COPY: [false, true, '<${URL}>', `<${url}>`],
      EMPTY_TOKEN: [true, false, '', ''],
    });
    expect(await seen(reader)).toEqual({
      NODE_ENV: [false, true, 'production', 'production'],
      API_KEY: [true, true, '', ''],
      URL: [false, true, 'postgres://app:${main-db.DB_PASSWORD}@db/app', ''],
      COPY: [false, true, '<${URL}>', ''],
      EMPTY_TOKEN: [true, false, '', ''],
    });
    expect(JSON.stringify((await overview(service.id, reader)).warnings)).not.toContain('hunter22');
    const { body } = await call('GET', '/api/projects', { token: reader });
    expect(JSON.stringify(body)).not.toContain('hunter22');
  });

  test('a choice stays when only the value changes, and the rule decides again if the user did not choose', async () => {
    const secretOf = async (key: string) => (await seen(token))[key]?.[0];
    await choose('SETTING', 'plain text');
    expect(await secretOf('SETTING')).toBe(false);
    await choose('SETTING', 'redis://:hunter2@cache');
    expect(await secretOf('SETTING')).toBe(true);
    await choose('SETTING', 'plain text');
    expect(await secretOf('SETTING')).toBe(false);
    await choose('SETTING', 'plain text', true);
    await choose('SETTING', 'other text');
    expect(await secretOf('SETTING')).toBe(true);
    await choose('PUBLIC_KEY', 'pk', false);
    await choose('PUBLIC_KEY', 'pk2');
    expect((await seen(reader)).PUBLIC_KEY).toEqual([false, true, 'pk2', 'pk2']);
  });

  test('a variable of an earlier version, which has no choice, is classified when it is read', async () => {
    await set('STRIPE_SECRET_KEY', 'old');
    await set('BROKER', 'amqp://me:hunter2@mq');
    const { results } = await env.DB.prepare('select secret from variables where service_id = ?')
      .bind(service.id)
      .all();
    expect(results).toEqual([{ secret: null }, { secret: null }]);
    expect(Object.values(await seen(reader))).toEqual([
      [true, true, '', ''],
      [true, true, '', ''],
    ]);
  });

  test('the first variables of a service take the choice, and generated passwords are secret', async () => {
    const create = (body: Json) => call('POST', `/api/projects/${project.id}/services`, { token, body });
    const given = [
      { key: 'A', value: '1', secret: true },
      { key: 'MAX_TOKENS', value: '4096', secret: false },
    ];
    const web = await create({ name: 'w', repoUrl: 'https://git.example/w', runnerId, env: given });
    expect((await overview(web.body.service.id, reader)).env).toMatchObject([
      { key: 'A', secret: true, value: '' },
      { key: 'MAX_TOKENS', secret: false, value: '4096' },
    ]);
    const db = await create({ name: 'd', repoUrl: 'database', repoFullName: 'database:mysql', runnerId });
    expect((await overview(db.body.service.id, reader)).env).toMatchObject([
      { key: 'MYSQL_DATABASE', secret: false, value: 'app' },
      { key: 'MYSQL_USER', secret: false, value: 'app' },
      { key: 'MYSQL_PASSWORD', secret: true, hasValue: true, value: '', resolvedValue: '' },
      { key: 'MYSQL_ROOT_PASSWORD', secret: true, hasValue: true, value: '', resolvedValue: '' },
    ]);
    expect((await overview(db.body.service.id, reader)).derivedVariables).toEqual([
      { key: 'DATABASE_URL', value: '', secret: true },
      { key: 'MYSQL_URL', value: '', secret: true },
    ]);
    await set('DATABASE_URL', '${d.DATABASE_URL}');
    expect((await seen(reader)).DATABASE_URL).toEqual([false, true, '${d.DATABASE_URL}', '']);
  });

  test('the setting readKeysSee shows read keys all values or none', async () => {
    await set('GREETING', 'hello');
    await set('API_KEY', 'abcdef');
    await readKeysSee('none');
    expect(await seen(reader)).toEqual({ GREETING: [false, true, '', ''], API_KEY: [true, true, '', ''] });
    expect((await seen(token)).API_KEY).toEqual([true, true, 'abcdef', 'abcdef']);
    await readKeysSee('all');
    expect(await seen(reader)).toEqual(await seen(token));
    await readKeysSee('plain');
  });

  test('anything but true and false is refused with the name of the field', async () => {
    for (const secret of [null, 'yes', 1]) {
      const body = { key: 'A', value: 'x', secret };
      const reply = await call('POST', `/api/services/${service.id}/env`, { token, body });
      expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('"secret"')]);
    }
  });
});

test('the database holds no secret in the clear', async () => {
  await set('CANARY', 'canary-value-1');
  await call('PATCH', `/api/services/${service.id}`, { token, body: { gitToken: 'canary-token-2' } });
  const created = await call('POST', `/api/projects/${project.id}/services`, {
    token,
    body: { name: 'c', repoUrl: 'https://git.example/c', env: [{ key: 'X', value: 'canary-initial-3' }] },
  });
  expect((await overview(created.body.service.id)).env[0].value).toBe('canary-initial-3');
  const dump = await dumpDatabase();
  expect(dump).toContain('CANARY');
  for (const clear of ['canary-value-1', 'canary-token-2', 'canary-initial-3', token, token.slice(13, 56)]) {
    expect(dump).not.toContain(clear);
    expect(dump).not.toContain(btoa(clear));
  }
});

test('a ciphertext that was moved to another variable does not open: shown empty, with the reason, and all else continues', async () => {
  await set('A', 'one');
  await set('B', 'two');
  await set('C', '<$' + '{B}>');
  await env.DB.prepare(
    `update variables set sealed_value = (select sealed_value from variables where service_id = ?1 and key = 'A')
     where service_id = ?1 and key = 'B'`,
  )
    .bind(service.id)
    .run();
  const { env: shown, warnings } = await overview(service.id);
  const of = (key: string) => shown.find((one: Json) => one.key === key);
  expect(of('A')).toMatchObject({ value: 'one', resolvedValue: 'one' });
  expect(of('B')).toMatchObject({ hasValue: true, value: '', resolvedValue: '' });
  expect(of('C')).toMatchObject({ resolvedValue: '<$' + '{B}>' });
  expect(warnings).toEqual([
    "B: the stored value can't be decrypted. Set it again.",
    `C: $\{B} stays as written, because the variable B of the service "${service.slug}" can't be decrypted.`,
  ]);
  const deployed = resolveServiceVariables(deps, service, project);
  await expect(deployed, 'a deployment never starts with a hole in its environment').rejects.toThrow(
    "can't be decrypted",
  );
  await set('B', 'two again');
  expect((await overview(service.id)).warnings).toEqual([]);
});

async function dumpDatabase(): Promise<string> {
  const { results: tables } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  ).all<{ name: string }>();
  const dumps = await Promise.all(
    tables.map(async ({ name }) => (await env.DB.prepare(`select * from "${name}"`).all()).results),
  );
  return JSON.stringify(dumps);
}
