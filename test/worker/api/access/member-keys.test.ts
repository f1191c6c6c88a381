/** Keys that members create for programs: bounded by the member's rights at each moment, named after the member, and ended with the membership. */
import { describe, expect, test } from 'vitest';
import { memberKeyDays, shortLivedKeysMax } from '../../../../worker/domain/access/key-levels.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';

const call = createClient();

const create = (token: string, fields: Json = {}) =>
  call('POST', '/api/keys', { token, body: { name: 'ci', expiresInDays: 30, ...fields } });
const created = async (token: string, fields: Json = {}): Promise<Json> => {
  const { status, body } = await create(token, fields);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const statusOf = async (token: string, path = '/api/key') => (await call('GET', path, { token })).status;
const change = (owner: { token: string }, member: { id: string }, body: Json) =>
  call('PATCH', `/api/members/${member.id}`, { token: owner.token, body });

/** The session of a command line of the member. */
const commandLineOf = (member: { id: string }, access: 'read' | 'deploy' | 'write' | 'destroy' = 'destroy') =>
  insertKey({ access, kind: 'command-line', madeBy: member.id, expiresAt: deps.now() + 3_600_000 });

test('a member creates a key in a browser and on a command line; lists of the member and the operator name the member', async () => {
  const member = await insertMember({ role: 'developer' });
  const command = await commandLineOf(member, 'write');
  const [one, other] = [await created(member.token), await created(command.token, { access: 'deploy' })];
  expect(one.key).toMatchObject({
    access: 'write',
    madeBy: member.id,
    maker: { type: 'member', name: 'Ada' },
  });
  const days = (Date.parse(one.key.expiresAt) - Date.parse(one.key.createdAt)) / 86_400_000;
  expect(days).toBe(30);
  for (const token of [member.token, command.token]) {
    const { keys } = (await call('GET', '/api/keys', { token })).body;
    expect(keys.map(({ id }: Json) => id).sort()).toEqual([one.key.id, other.key.id].sort());
    expect((await call('GET', '/api/key', { token })).body.key.may).toContain('make-keys');
  }
  const { keys } = (await call('GET', '/api/system/keys?limit=1000', { token: operatorToken })).body;
  expect(keys.find(({ id }: Json) => id === one.key.id)).toMatchObject({
    ...{ madeBy: member.id, maker: { type: 'member', name: 'Ada' } },
  });
  expect((await call('DELETE', `/api/keys/${other.key.id}`, { token: member.token })).status).toBe(200);
  expect([await statusOf(one.token), await statusOf(other.token)]).toEqual([200, 401]);
});

test('what a program does with the key counts as done by the member, and the key opens nothing for members', async () => {
  const [member, project] = [await insertMember(), await insertProject()];
  const { token, key } = await created(member.token);
  await call('PATCH', `/api/projects/${project.id}`, { token, body: { name: 'renamed' } });
  await expect
    .poll(
      async () => (await call('GET', `/api/audit?actor=${member.id}`, { token: member.token })).body.entries,
    )
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor: key.id, actedBy: { type: 'member', id: member.id, name: 'Ada' } }),
      ]),
    );
  for (const path of ['/api/members', '/api/passkeys']) expect(await statusOf(token, path)).toBe(403);
  expect((await create(token)).body.code).toBe('forbidden');
  const cookie = `session ${token} ${await deps.fingerprint('session', key.id)}`;
  expect(await statusOf(cookie)).toBe(401);
});

describe('a key of a member', () => {
  test.each(['an owner removes the member', 'the member leaves'])('ends at once when %s', async (how) => {
    const [owner, member] = [await insertMember(), await insertMember({ role: 'deployer' })];
    const { token } = await created(member.token);
    expect(await statusOf(token)).toBe(200);
    const removed = how.startsWith('an owner')
      ? await call('DELETE', `/api/members/${member.id}`, { token: owner.token })
      : await call('DELETE', '/api/membership', { token: member.token });
    expect([removed.status, await statusOf(token)]).toEqual([200, 401]);
    const { keys } = (await call('GET', '/api/system/keys?limit=1000', { token: operatorToken })).body;
    expect(keys.filter(({ madeBy }: Json) => madeBy === member.id)).toEqual([]);
  });

  test('ends as soon as the role, the projects or a role in a project do not cover it, and stays otherwise', async () => {
    const owner = await insertMember();
    const [shop, blog] = [await insertProject(), await insertProject()];
    const member = await insertMember({ role: 'developer' });
    const keys = {
      reads: await created(member.token, { access: 'read' }),
      writes: await created(member.token, { access: 'write' }),
      inShop: await created(member.token, { access: 'write', projects: [shop.id] }),
      inBlog: await created(member.token, { access: 'write', projects: [blog.id] }),
    };
    const live = async () => {
      const found = [];
      for (const [name, { token }] of Object.entries(keys))
        if ((await statusOf(token)) === 200) found.push(name);
      return found;
    };
    await change(owner, member, { name: 'Ada L.' });
    expect(await live()).toEqual(['reads', 'writes', 'inShop', 'inBlog']);
    await change(owner, member, { projectRoles: [{ projectId: blog.id, role: 'viewer' }] });
    expect(await live()).toEqual(['reads', 'inShop']);
    await change(owner, member, { projects: [shop.id], projectRoles: [] });
    expect(await live()).toEqual(['inShop']);
    await change(owner, member, { role: 'deployer' });
    expect(await live()).toEqual([]);
    // A key does not come back with the rights.
    await change(owner, member, { role: 'developer', projects: 'all' });
    expect(await live()).toEqual([]);
  });

  test('has at most the rights of the member: the level, the projects and the roles in them', async () => {
    const [shop, blog] = [await insertProject(), await insertProject()];
    const foreign = await insertProject({ tenantId: await insertTenant('of another') });
    const viewer = await insertMember({ role: 'viewer' });
    expect((await create(viewer.token)).body.code).toBe('forbidden');
    const some = await insertMember({ role: 'deployer', projects: [shop.id] });
    expect((await create(some.token, { access: 'write' })).body.error).toContain('"access"');
    expect((await create(some.token, { projects: 'all' })).body.error).toContain('"projects"');
    for (const { id } of [blog, foreign])
      expect((await create(some.token, { projects: [id] })).body).toMatchObject({
        ...{ code: 'invalid_request', error: expect.stringContaining(id) },
      });
    expect((await created(some.token)).key.projects).toEqual([shop.id]);
    const mixed = await insertMember({ role: 'developer', projectRoles: { [blog.id]: 'viewer' } });
    expect((await create(mixed.token, { projects: 'all' })).body.error).toContain(blog.id);
    expect((await create(mixed.token, { projects: [blog.id] })).body.code).toBe('forbidden');
    await created(mixed.token, { projects: [shop.id] });
    await created(mixed.token, { projects: [blog.id], access: 'read' });
  });

  test('lasts as long as asked, within the limit, and keys can not ask for days', async () => {
    const { token } = await insertMember();
    for (const fields of [
      { expiresInDays: memberKeyDays.max + 1 },
      { expiresInDays: 0 },
      { expiresInDays: undefined },
      { expiresInMinutes: 10 },
    ])
      expect((await create(token, fields)).body.error).toMatch(/"?expiresIn/);
    const key = await insertKey({ access: 'write' });
    expect((await create(key.token)).body).toMatchObject({
      ...{ code: 'invalid_request', error: expect.stringContaining('"expiresInDays"') },
    });
  });

  test(`is one of ${shortLivedKeysMax} at most, whichever session makes it`, async () => {
    const member = await insertMember();
    const sessions = [member.token, (await commandLineOf(member)).token];
    for (let made = 0; made < shortLivedKeysMax; made++) await created(sessions[made % 2] ?? '');
    for (const token of sessions) expect((await create(token)).body.code).toBe('quota_exceeded');
  });

  test('is not seen and not revoked by another member, and not made by a session of a key', async () => {
    const [member, other] = [await insertMember(), await insertMember()];
    const { key, token } = await created(member.token);
    expect((await call('GET', '/api/keys', { token: other.token })).body.keys).toEqual([]);
    expect((await call('DELETE', `/api/keys/${key.id}`, { token: other.token })).status).toBe(404);
    expect(await statusOf(token)).toBe(200);
    const maker = await insertKey({ access: 'destroy' });
    const session = await insertKey({ access: 'destroy', kind: 'session', madeBy: maker.id });
    const proof = await deps.fingerprint('session', session.id);
    expect((await create(`session ${session.token} ${proof}`)).body.code).toBe('forbidden');
  });

  test('made in a browser that a link of an owner opened ends when that owner loses the role', async () => {
    const [owner, maker] = [await insertMember(), await insertMember()];
    const member = await insertMember({ role: 'developer' });
    const { link } = (await call('POST', `/api/members/${member.id}/links`, { token: maker.token })).body;
    const code = link.path.replace('/sign-in#', '');
    const opened = await call('POST', '/api/sessions', { token: code, body: { name: 'Firefox' } });
    const cookie = /=([^;]*)/.exec(opened.headers.get('set-cookie') ?? '')?.[1];
    const own = await created(member.token);
    const { token } = await created(`session ${cookie} ${opened.body.proof}`);
    await change(owner, maker, { role: 'viewer' });
    expect([await statusOf(own.token), await statusOf(token)]).toEqual([200, 401]);
  });
});
