/** What a key tells about itself, the levels of keys, and the short-lived keys that a key makes. */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { shortLivedKeysMax } from '../../../../worker/domain/access/key-levels.ts';
import { selectKeyByCurrentToken } from '../../../../worker/store/access/api-key-store.ts';
import { apiKeys } from '../../../../worker/store/schema/api-keys.ts';
import { makeShortLivedKey } from '../../../../worker/usecases/access/short-lived-key.ts';
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

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
let clock = Date.now();
const timed = { ...deps, now: () => clock };

const call = createClient({ dependenciesOf: () => timed });

const operate = (method: string, path: string, body?: unknown) =>
  call(method, `/api/system${path}`, { token: operatorToken, ...(body === undefined ? {} : { body }) });
const make = (token: string, fields: object = {}, headers = {}) =>
  call('POST', '/api/keys', { token, body: { name: 'job', expiresInMinutes: 60, ...fields }, headers });
const made = async (token: string, fields: object = {}) => {
  const { status, body } = await make(token, fields);
  expect([status, body.error]).toEqual([200, undefined]);
  return body as { key: Json; token: string };
};
const works = async (token: string) => (await call('GET', '/api/projects', { token })).status;
const own = async (token: string) => (await call('GET', '/api/key', { token })).body.key;

/** Moves the clock during `run`. */
async function later(byMs: number, run: () => Promise<void>): Promise<void> {
  const start = clock;
  clock += byMs;
  await run();
  clock = start;
}

test.each([
  ['read', ['read']],
  ['deploy', ['read', 'deploy', 'make-keys']],
  ['write', ['read', 'deploy', 'write', 'create-projects', 'make-keys']],
  ['destroy', ['read', 'deploy', 'write', 'destroy', 'create-projects', 'make-keys']],
])('a %s key of the operator can read what it is and may do', async (access, may) => {
  const body = { name: 'ci', access, projects: 'all', expiresInDays: 30 };
  const { key, token } = (await operate('POST', '/keys', body)).body;
  expect(await own(token)).toEqual({ ...key, may });
});

test('a key for some projects can create none, and names its projects', async () => {
  const project = await insertProject();
  const { token } = await insertKey({ projects: [project.id] });
  expect(await own(token)).toMatchObject({
    projects: [project.id],
    expiresAt: null,
    may: ['read', 'deploy', 'write', 'make-keys'],
  });
});

test('the operator token gets the answer that it is not a key', async () => {
  expect(await own(operatorToken)).toMatchObject({ id: 'operator', access: 'operator', may: ['operate'] });
  expect((await call('GET', '/api/key', { token: `${operatorToken}x` })).status).toBe(401);
});

test('a key sees itself by the token before the last rotation too', async () => {
  const { token, id } = await insertKey();
  await operate('POST', `/keys/${id}/rotate`);
  expect((await own(token)).id).toBe(id);
});

test('a deploy key deploys and aborts, changes nothing else, and sees no secret', async () => {
  const { token } = await insertKey({ access: 'deploy' });
  const project = await insertProject();
  const service = await insertService({ projectId: project.id, runnerId: (await insertRunner()).id });
  const at = `/api/services/${service.id}`;
  const writer = (await insertKey()).token;
  await call('POST', `${at}/env`, { token: writer, body: { key: 'API_KEY', value: 'abcdef' } });
  const { status, body } = await call('POST', `${at}/deployments`, { token });
  expect([status, body.deployment.status]).toEqual([200, 'queued']);
  expect((await call('POST', `/api/deployments/${body.deployment.id}/abort`, { token })).status).toBe(200);
  const refused = await call('POST', `${at}/env`, { token, body: { key: 'A', value: 'x' } });
  expect([refused.status, refused.body.error]).toEqual([
    403,
    'This key has deploy access only: the request needs a key with write access.',
  ]);
  const { env } = (await call('GET', `${at}/overview`, { token })).body;
  expect(env).toMatchObject([{ key: 'API_KEY', hasValue: true, value: '', resolvedValue: '' }]);
});

describe('a short-lived key', () => {
  test('a short-lived key has at most the level, projects and tenant of its maker, and ends on time', async () => {
    const tenantId = await insertTenant('short-lived');
    const maker = await insertKey({ tenantId, access: 'write' });
    const { key, token } = await made(maker.token, { access: 'read', expiresInMinutes: 5 });
    expect(key).toMatchObject({
      access: 'read',
      projects: 'all',
      tenantId,
      madeBy: maker.id,
      expiresAt: new Date(clock + 5 * minuteMs).toISOString(),
    });
    expect(await own(token)).toMatchObject({ id: key.id, may: ['read'] });
    expect((await make(token)).status).toBe(403);
    await later(5 * minuteMs - 1, async () => expect(await works(token)).toBe(200));
    await later(5 * minuteMs, async () => expect(await works(token)).toBe(401));
    const listed = (await operate('GET', '/keys')).body.keys;
    expect(listed.find(({ id }: Json) => id === key.id)).toMatchObject({ madeBy: maker.id });
    expect(listed.find(({ id }: Json) => id === maker.id)).not.toHaveProperty('madeBy');
  });

  test('a key lists and revokes the keys that it has made, and no others', async () => {
    const [maker, other] = [await insertKey({ access: 'deploy' }), await insertKey({ access: 'destroy' })];
    const [one, two] = [await made(maker.token), await made(maker.token)];
    const theirs = await made(other.token);
    const list = async (token: string) =>
      (await call('GET', '/api/keys', { token })).body.keys.map(({ id }: Json) => id);
    const revoke = async (token: string, id: string) =>
      (await call('DELETE', `/api/keys/${id}`, { token })).status;
    expect([await list(maker.token), await list(one.token)]).toEqual([[one.key.id, two.key.id], []]);
    for (const id of [theirs.key.id, other.id, maker.id]) expect(await revoke(maker.token, id)).toBe(404);
    expect([await revoke(other.token, one.key.id), await revoke(one.token, two.key.id)]).toEqual([404, 404]);
    expect(await revoke(maker.token, one.key.id)).toBe(200);
    expect([await works(one.token), await works(two.token), await works(theirs.token)]).toEqual([
      401, 200, 200,
    ]);
    expect([await list(maker.token), await revoke(maker.token, one.key.id)]).toEqual([[two.key.id], 404]);
    const reader = await insertKey({ access: 'read' });
    expect([await list(reader.token), await revoke(reader.token, two.key.id)]).toEqual([[], 403]);
  });

  test('left out, level and projects are those of the maker', async () => {
    const [one, two] = [await insertProject(), await insertProject()];
    const maker = await insertKey({ access: 'deploy', projects: [one.id, two.id] });
    const { key } = await made(maker.token);
    expect([key.access, key.projects.toSorted()]).toEqual(['deploy', [one.id, two.id].toSorted()]);
    const { token } = await made(maker.token, { projects: [two.id, two.id] });
    const { projects } = (await call('GET', '/api/projects', { token })).body;
    expect(projects.map(({ id }: Json) => id)).toEqual([two.id]);
  });

  test('a wider key is refused with the field and what to do', async () => {
    const [mine, other] = [await insertProject(), await insertProject()];
    const foreign = await insertProject({ tenantId: await insertTenant('elsewhere') });
    const narrow = (await insertKey({ access: 'deploy', projects: [mine.id] })).token;
    const wide = (await insertKey()).token;
    const refusal = async (token: string, fields: object) => {
      const { status, body } = await make(token, fields);
      return [status, body.error];
    };
    expect(await refusal(narrow, { access: 'write' })).toEqual([403, expect.stringContaining('"access"')]);
    expect(await refusal(narrow, { projects: 'all' })).toEqual([403, expect.stringContaining('"projects"')]);
    const absent = 'prj_aaaaaaaaaaaaaaaa';
    for (const [token, id] of [
      [narrow, other.id],
      [narrow, absent],
      [wide, foreign.id],
      [wide, absent],
    ] as const) {
      expect(await refusal(token, { projects: [id] })).toEqual([
        400,
        `The field "projects" contains "${id}", which this key can't access.`,
      ]);
    }
    for (const expiresInMinutes of [4, 1441, 5.5, null]) {
      expect(await refusal(wide, { expiresInMinutes })).toEqual([
        400,
        expect.stringContaining('"expiresInMinutes" must be a whole number of minutes from 5 to 1440'),
      ]);
    }
  });

  test('a short-lived key never outlives its maker', async () => {
    const maker = await insertKey({ expiresAt: clock + 30 * minuteMs });
    const tooLong = await make(maker.token, { expiresInMinutes: 31 });
    expect([tooLong.status, tooLong.body.error]).toEqual([409, expect.stringContaining('choose at most 30')]);
    await made(maker.token, { expiresInMinutes: 30 });
    await later(27 * minuteMs, async () => {
      const { status, body } = await make(maker.token, { expiresInMinutes: 5 });
      expect([status, body.error]).toEqual([409, expect.stringContaining('use another key')]);
    });
  });

  test('revoking or rotating the maker ends its keys at once, and no others', async () => {
    const other = await made((await insertKey()).token);
    for (const end of [
      (id: string) => operate('DELETE', `/keys/${id}`),
      (id: string) => operate('POST', `/keys/${id}/rotate`),
      (id: string) => operate('POST', `/keys/${id}/rotate`, { immediately: true }),
    ]) {
      const maker = await insertKey();
      const keys = [await made(maker.token), await made(maker.token)];
      expect((await end(maker.id)).status).toBe(200);
      for (const { token } of keys) expect(await works(token)).toBe(401);
    }
    expect(await works(other.token)).toBe(200);
  });

  test('a token that was replaced by a rotation still works for a day, but makes no keys', async () => {
    const maker = await insertKey();
    const { token } = (await operate('POST', `/keys/${maker.id}/rotate`)).body;
    expect(await works(maker.token)).toBe(200);
    const refused = await make(maker.token);
    expect([refused.status, refused.body.error]).toEqual([
      403,
      'This token was replaced by a newer one: create keys with the newer one.',
    ]);
    await made(token);
  });

  test.each([
    ['revoked', (id: string) => operate('DELETE', `/keys/${id}`)],
    ['rotated', (id: string) => operate('POST', `/keys/${id}/rotate`)],
  ])('a maker that is %s after it was authenticated makes no key', async (_, end) => {
    const { id, tokenId } = await insertKey();
    const [authenticated] = await selectKeyByCurrentToken(deps.db, tokenId);
    await end(id);
    const making = makeShortLivedKey(timed, authenticated, { name: 'job', expiresInMinutes: 60 });
    await expect(making).rejects.toMatchObject({ code: 'forbidden' });
    expect(await deps.db.select().from(apiKeys).where(eq(apiKeys.madeBy, id))).toEqual([]);
  });

  test('a key has a limited number of live keys, also when they are made at once', {
    tags: 'slow',
  }, async () => {
    const maker = await insertKey();
    const count = shortLivedKeysMax + 4;
    const replies = await Promise.all(Array.from({ length: count }, () => make(maker.token)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(shortLivedKeysMax);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      code: 'quota_exceeded',
      error: expect.stringContaining(`${shortLivedKeysMax} keys`),
    });
    await later(61 * minuteMs, async () => {
      await made(maker.token);
    });
  });

  test('keys that a key has made share its limit of requests', async () => {
    await operate('PATCH', '/settings', { readsPerMinute: 3 });
    await later(10 * minuteMs, async () => {
      const limited = createClient({ dependenciesOf: () => timed });
      const maker = await insertKey({ access: 'deploy' });
      const { token } = await made(maker.token);
      const read = async (as: string) => (await limited('GET', '/api/projects', { token: as })).status;
      expect([await read(token), await read(maker.token), await read(token), await read(token)]).toEqual([
        200, 200, 200, 429,
      ]);
    });
    await operate('PATCH', '/settings', { readsPerMinute: 6000 });
  });

  test('making a key is in the audit log, and a repeat with the same Idempotency-Key makes none', async () => {
    const maker = await insertKey();
    const headers = { 'idempotency-key': 'one' };
    const [first, second] = [await make(maker.token, {}, headers), await make(maker.token, {}, headers)];
    expect(second.body).toEqual(first.body);
    const { entries } = (await operate('GET', `/audit?actor=${maker.id}`)).body;
    expect(entries[0]).toMatchObject({ route: 'POST /api/keys', resourceId: first.body.key.id, status: 200 });
    expect(JSON.stringify(entries)).not.toContain(first.body.token);
  });

  test('the keys of a tenant, made ones included, go with it once they are revoked', async () => {
    const tenantId = await insertTenant('leaving');
    const maker = await insertKey({ tenantId });
    await made(maker.token);
    expect((await operate('DELETE', `/tenants/${tenantId}`)).body.error).toContain('2 keys');
    await operate('DELETE', `/keys/${maker.id}`);
    expect((await operate('DELETE', `/tenants/${tenantId}`)).body).toEqual({ ok: true });
    expect(await deps.db.select().from(apiKeys).where(eq(apiKeys.tenantId, tenantId))).toEqual([]);
  });

  test('ended short-lived keys are deleted after a week; other keys stay', async () => {
    const maker = await insertKey({ expiresAt: clock + dayMs });
    const { key } = await made(maker.token);
    const stored = (id: string) => deps.db.select().from(apiKeys).where(eq(apiKeys.id, id));
    await later(7 * dayMs, async () => {
      await pruneRecords(timed);
      expect(await stored(key.id)).toHaveLength(1);
    });
    await later(8 * dayMs, async () => {
      await pruneRecords(timed);
      expect([await stored(key.id), await stored(maker.id)]).toEqual([[], [expect.anything()]]);
    });
  });
});

test('a key that a key has made is removed after its revocation, not only after its end', async () => {
  const maker = await insertKey();
  const fields = { madeBy: maker.id, expiresAt: clock + 90 * dayMs };
  const revoked = await insertKey({ ...fields, revokedAt: clock });
  const live = await insertKey(fields);
  await pruneRecords({ ...timed, now: () => clock + 8 * dayMs });
  const ids = (await deps.db.select({ id: apiKeys.id }).from(apiKeys)).map(({ id }) => id);
  expect([maker.id, live.id, revoked.id].map((id) => ids.includes(id))).toEqual([true, true, false]);
});
