// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Environment variables, as set by 4.4 and shown by the overview. */
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resolveServiceVariables } from '../../../worker/usecases/services/resolve-variables.ts';
import {
  type Client,
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  type Json,
  operatorToken,
} from '../../support/worker/api.ts';
import { FakeRunner } from '../../support/worker/fake-runner.ts';
import { newHost } from '../../support/worker/host.ts';

let call: Client;
let token: string;
let runnerId: string;
let project: Awaited<ReturnType<typeof insertProject>>;
let service: Awaited<ReturnType<typeof insertService>>;

beforeAll(async () => {
  call = createClient();
  token = (await insertKey()).token;
  runnerId = (await insertRunner()).id;
});

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

describe('references', () => {
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
    expect(dispatched).toEqual({ env: await shown(), warnings });
  });

  test('references never reach into another project', async () => {
    const elsewhere = await insertProject();
    const secret = await insertService({ projectId: elsewhere.id, runnerId, slug: 'vault' });
    await set('KEY', 'secret', secret.id);
    await set('STOLEN', '${vault.KEY}');
    expect(await shown()).toEqual({ STOLEN: '${vault.KEY}' });
  });
});

describe("the platform's own variables", () => {
  const port =
    'PORT: the service sets this variable to a port other than its internalPort 8080, where requests are sent.';
  const commit = 'LONGSHORE_COMMIT_SHA: the service sets this variable itself';
  const warnings = async (id: string) => (await overview(id)).warnings;

  test('platform variables that the service overrides are warned of in the overview and the deployment log, without their values', async () => {
    const host = await newHost();
    const { id } = await host.addService();
    await set('PORT', '9999', id);
    await set('LONGSHORE_COMMIT_SHA', 'abcdef', id);
    const expected = [expect.stringContaining(port), expect.stringContaining(commit)];
    expect(await warnings(id)).toEqual(expected);
    expect((await warnings(id)).join()).not.toMatch(/9999|abcdef/);
    const runner = await FakeRunner.connect(host.keys);
    await call('POST', `/api/services/${id}/deployments`, { token });
    expect((await runner.nextDeployment()).spec.warnings).toEqual(expected);
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
});

test('read keys see values, unless the setting masks them; write keys always do', async () => {
  const reader = (await insertKey({ access: 'read' })).token;
  await set('A', 'secret');
  expect((await overview(service.id, reader)).env).toMatchObject([{ value: 'secret' }]);
  const mask = (maskValuesForReadKeys: boolean) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { maskValuesForReadKeys } });
  await mask(true);
  expect((await overview(service.id, reader)).env).toMatchObject([
    { hasValue: true, value: '', resolvedValue: '' },
  ]);
  expect((await overview()).env).toMatchObject([{ value: 'secret', resolvedValue: 'secret' }]);
  await mask(false);
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
