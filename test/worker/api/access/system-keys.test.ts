/** API keys and settings, as the operator manages them. */

import { expect, test } from 'vitest';
import { defaultSettings } from '../../../../worker/domain/instance/settings.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';

const dayMs = 86_400_000;
let clock = Date.now();

const call = createClient({ dependenciesOf: () => ({ ...deps, now: () => clock }) });

const operate = (method: string, path: string, body?: unknown) =>
  call(method, `/api/system${path}`, { token: operatorToken, ...(body === undefined ? {} : { body }) });
const create = (fields: object = {}) =>
  operate('POST', '/keys', { name: 'ci', access: 'write', projects: 'all', expiresInDays: null, ...fields });
const works = async (token: string) => (await call('GET', '/api/projects', { token })).status;

test('a key is created, shown once, listed and used', async () => {
  const { status, body } = await create({ expiresInDays: 30 });
  expect(status).toBe(200);
  expect(body).toEqual({
    token: expect.stringMatching(/^lsk_[a-z0-9]{8}_[A-Za-z0-9]{49}$/),
    key: {
      id: expect.stringMatching(/^key_[a-z0-9]{16}$/),
      name: 'ci',
      access: 'write',
      projects: 'all',
      prefix: body.token.slice(0, 12),
      createdAt: new Date(clock).toISOString(),
      expiresAt: new Date(clock + 30 * dayMs).toISOString(),
      lastUsedAt: null,
    },
  });
  expect(await works(body.token)).toBe(200);
  const { keys } = (await operate('GET', '/keys')).body;
  expect(keys.find(({ id }: Json) => id === body.key.id)).toEqual({
    ...body.key,
    lastUsedAt: new Date(Math.floor(clock / 60_000) * 60_000).toISOString(),
  });
});

test('a key for chosen projects carries their ids', async () => {
  const [one, two] = [await insertProject(), await insertProject()];
  const { body } = await create({ access: 'read', projects: [one.id, two.id, one.id] });
  expect(body.key.projects).toEqual([one.id, two.id]);
  const seen = (await call('GET', '/api/projects', { token: body.token })).body.projects;
  expect(seen.map(({ id }: Json) => id)).toEqual([one.id, two.id]);
});

test.each([
  ['no projects', { projects: [] }, '"projects" must be "all" or a list of at least one project'],
  ['an unknown project', { projects: ['prj_aaaaaaaaaaaaaaaa'] }, 'prj_aaaaaaaaaaaaaaaa'],
  ['an unknown slug', { projects: ['no-such-shop'] }, '"no-such-shop", which is neither the id nor the slug'],
  ['an empty slug', { projects: [''] }, '"projects[0]"'],
  ['0 days', { expiresInDays: 0 }, '"expiresInDays"'],
  ['3651 days', { expiresInDays: 3651 }, '"expiresInDays"'],
  ['half a day', { expiresInDays: 0.5 }, '"expiresInDays"'],
  ['4 minutes', { expiresInMinutes: 4 }, '"expiresInMinutes"'],
  ['days and minutes', { expiresInDays: 1, expiresInMinutes: 5 }, 'exclude each other'],
  ['a level', { access: 'admin' }, '"access"'],
  ['an unknown tenant', { tenantId: 'ten_none' }, '"tenantId"'],
  ['an unknown field', { scope: 'x' }, '"scope"'],
])('creating with %s is 400', async (_, fields, sentence) => {
  const reply = await create(fields);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('a project may be given by its slug, because the operator token sees no projects', async () => {
  const project = await insertProject();
  const { body } = await create({ projects: [project.slug, project.id] });
  expect(body.key.projects).toEqual([project.id]);
});

test('a key may expire after minutes', async () => {
  const { body } = await create({ expiresInMinutes: 5 });
  expect(Date.parse(body.key.expiresAt)).toBe(clock + 300_000);
});

test("another tenant's project can't be chosen, neither by id nor by slug", async () => {
  const tenantId = await insertTenant('keys-rival');
  const project = await insertProject();
  for (const name of [project.id, project.slug])
    expect((await create({ tenantId, projects: [name] })).status).toBe(400);
});

test('a revoked token ends at once and is gone from the list', async () => {
  const { token, key } = (await create()).body;
  expect((await operate('DELETE', `/keys/${key.id}`)).body).toEqual({ ok: true });
  expect(await works(token)).toBe(401);
  expect((await operate('GET', '/keys')).text).not.toContain(key.id);
  expect((await operate('DELETE', `/keys/${key.id}`)).status).toBe(404);
});

test('an expired token ends to the millisecond', async () => {
  const { token } = (await create({ expiresInDays: 1 })).body;
  const start = clock;
  clock = start + dayMs - 1;
  expect(await works(token)).toBe(200);
  clock = start + dayMs;
  expect(await works(token)).toBe(401);
  clock = start;
});

test("a rotated token works for 24 h more; the key's id and scope stay", async () => {
  const { token: old, key } = (await create()).body;
  const rotated = (await operate('POST', `/keys/${key.id}/rotate`)).body;
  expect(rotated.key).toMatchObject({ id: key.id, name: key.name, projects: 'all' });
  expect(rotated.token).not.toBe(old);
  const start = clock;
  expect([await works(old), await works(rotated.token)]).toEqual([200, 200]);
  clock = start + dayMs - 1;
  expect(await works(old)).toBe(200);
  clock = start + dayMs;
  expect([await works(old), await works(rotated.token)]).toEqual([401, 200]);
  clock = start;
});

test('two tokens of a key work at most: a second rotation ends the oldest at once', async () => {
  const { token: oldest, key } = (await create()).body;
  const rotate = async () => (await operate('POST', `/keys/${key.id}/rotate`)).body.token;
  const [second, third] = [await rotate(), await rotate()];
  expect([await works(oldest), await works(second), await works(third)]).toEqual([401, 200, 200]);
});

test('a token rotated immediately ends at once', async () => {
  const { token: old, key } = (await create()).body;
  const rotated = (await operate('POST', `/keys/${key.id}/rotate`, { immediately: true })).body;
  expect([await works(old), await works(rotated.token)]).toEqual([401, 200]);
});

test('a token with another secret, checksum or id is 401', async () => {
  const { token } = await insertKey();
  const other = (await insertKey()).token;
  expect(await works(token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'))).toBe(401);
  expect(await works(token.slice(0, 13) + other.slice(13))).toBe(401);
  expect(await works(token.toUpperCase())).toBe(401);
});

test('the use of a key is noted to the minute, at most every ten minutes', async () => {
  const { token, key } = (await create()).body;
  const used = async () =>
    (await operate('GET', '/keys')).body.keys.find(({ id }: Json) => id === key.id).lastUsedAt;
  const start = clock;
  await works(token);
  const first = await used();
  clock = start + 9 * 60_000;
  await works(token);
  expect(await used()).toBe(first);
  clock = start + 11 * 60_000;
  await works(token);
  expect(await used()).toBe(new Date(Math.floor(clock / 60_000) * 60_000).toISOString());
  clock = start;
});

test('settings start with defaults, change one by one, and refuse what does not fit', async () => {
  expect((await operate('GET', '/settings')).body).toEqual({ settings: defaultSettings });
  const changed = await operate('PATCH', '/settings', {
    rootDomain: 'Apps.Example.COM',
    publicIp: '2001:db8::1',
  });
  expect(changed.body.settings).toEqual({
    ...defaultSettings,
    rootDomain: 'apps.example.com',
    publicIp: '2001:db8::1',
  });
  expect((await operate('PATCH', '/settings', { publicIp: null })).body.settings).toMatchObject({
    rootDomain: 'apps.example.com',
    publicIp: null,
  });
  for (const body of [
    {},
    { rootDomain: 'no_host' },
    { rootDomain: '10.0.0.1' },
    { rootDomain: `${'abcdefghi.'.repeat(17)}example.com` },
    { publicIp: 'x' },
    { other: 1 },
  ]) {
    expect((await operate('PATCH', '/settings', body)).status).toBe(400);
  }
  await operate('PATCH', '/settings', { rootDomain: null });
});
