/** The audit log of a tenant: who may read it, what a member did by any session, and that no other tenant's entry is in it. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
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
const [ours, theirs] = [await insertTenant('ours'), await insertTenant('theirs-unseen')];
const project = await insertProject({ tenantId: ours });
const foreign = await insertProject({ tenantId: theirs });
const owner = await insertMember({ tenantId: ours });
const stranger = await insertMember({ tenantId: theirs });
const strangersKey = await insertKey({ tenantId: theirs, name: 'unseen key', access: 'destroy' });

beforeEach(() => env.DB.prepare('delete from audit_log').run());

const rename = (id: string, token: string) =>
  call('PATCH', `/api/projects/${id}`, { token, body: { description: 'x' } });
const read = async (query = '', token = owner.token) => call('GET', `/api/audit${query}`, { token });
const entriesOf = async (query = '', token = owner.token): Promise<Json[]> =>
  (await read(query, token)).body.entries;

test('a member is found with everything that was done in any session, and the session stays visible', async () => {
  const expiresAt = deps.now() + 86_400_000;
  const other = await insertKey({
    tenantId: ours,
    access: 'destroy',
    kind: 'session',
    madeBy: owner.id,
    expiresAt,
  });
  const proof = await deps.fingerprint('session', other.id);
  await rename(project.id, owner.token);
  await rename(project.id, `session ${other.token} ${proof}`);
  await rename(project.id, (await insertKey({ tenantId: ours, name: 'ci' })).token);
  const actedBy = { type: 'member', id: owner.id, name: 'Ada' };
  for (const found of [
    await entriesOf(`?actor=${owner.id}`),
    (await call('GET', `/api/system/audit?actor=${owner.id}`, { token: operatorToken })).body.entries,
  ])
    expect(found.map(({ actor, actedBy: by }: Json) => [actor, by])).toEqual([
      [other.id, actedBy],
      [owner.sessionId, actedBy],
    ]);
  expect(await entriesOf(`?actor=${other.id}`)).toHaveLength(1);
  expect((await entriesOf()).map(({ actedBy: by }) => by.name)).toEqual(['ci', 'Ada', 'Ada']);
});

test('a key is found with what browsers did that signed in with it', async () => {
  const key = await insertKey({ tenantId: ours, name: 'shared' });
  const expiresAt = deps.now() + 86_400_000;
  const session = await insertKey({ tenantId: ours, kind: 'session', madeBy: key.id, expiresAt });
  await rename(project.id, `session ${session.token} ${await deps.fingerprint('session', session.id)}`);
  expect(await entriesOf(`?actor=${key.id}`)).toMatchObject([
    { actor: session.id, actedBy: { type: 'key', id: key.id, name: 'shared' } },
  ]);
});

test('no entry, name or id of another tenant or of the operator is in it, by no filter', async () => {
  await rename(project.id, owner.token);
  const [own] = await entriesOf();
  await rename(foreign.id, stranger.token);
  await rename(foreign.id, strangersKey.token);
  await rename(project.id, strangersKey.token); // refused: an entry of the other tenant about our project
  await call('POST', '/api/system/keys', {
    ...{ token: operatorToken, body: { name: 'k', access: 'read', projects: 'all', tenantId: ours } },
  });
  const foreignEntries = await entriesOf('', strangersKey.token);
  expect(foreignEntries).toHaveLength(3);
  const [last] = foreignEntries;
  const all = await read();
  expect(all.body.entries).toEqual([own]);
  expect(all.text).not.toMatch(new RegExp(`${theirs}|unseen|${stranger.id}|${strangersKey.id}|operator`));
  for (const actor of [stranger.id, stranger.sessionId, strangersKey.id, 'operator', 'system'])
    expect(await entriesOf(`?actor=${actor}`)).toEqual([]);
  for (const refused of [`?tenantId=${theirs}`, '?tenantId=', `?before=${last?.id}`])
    expect((await read(refused)).status).toBe(400);
  // A cursor is a place in the order, not a right.
  const { nextCursor } = (await read('?limit=1', strangersKey.token)).body;
  expect(await entriesOf(`?cursor=${encodeURIComponent(nextCursor)}`)).toEqual([own]);
  const operators = (await call('GET', '/api/system/audit', { token: operatorToken })).body.entries;
  expect(new Set(operators.map(({ tenantId }: Json) => tenantId))).toEqual(new Set([null, ours, theirs]));
  expect(operators.find(({ tenantId }: Json) => tenantId === null)).toMatchObject({
    actor: 'operator',
    actedBy: { type: 'operator', id: null, name: null },
  });
});

test('the filters are those of the operator', async () => {
  for (let left = 3; left > 0; left--) await rename(project.id, owner.token);
  await rename(foreign.id, owner.token);
  expect((await entriesOf('?status=404')).map(({ status }) => status)).toEqual([404]);
  const first = await entriesOf('?limit=2');
  const rest = await entriesOf(`?limit=2&before=${first[1]?.id}`);
  expect([...first, ...rest]).toEqual(await entriesOf());
  expect(await entriesOf(`?since=${new Date(deps.now() + 60_000).toISOString()}`)).toEqual([]);
});

test.each([
  ['viewer', 'Your role is "viewer", and this needs the role "owner": ask an owner.'],
  ['deployer', 'Your role is "deployer", and this needs the role "owner": ask an owner.'],
  ['developer', 'Your role is "developer", and this needs the role "owner": ask an owner.'],
] as const)('a %s is refused with a way out', async (role, sentence) => {
  const { token } = await insertMember({ tenantId: ours, role });
  const reply = await read('', token);
  expect([reply.status, reply.body.error]).toEqual([403, sentence]);
});

test.each([
  [
    'that may only write',
    { access: 'write' as const },
    /write access only: the request needs a key with destroy/,
  ],
  [
    'for chosen projects',
    { access: 'destroy' as const, projects: [project.id] },
    /needs a key for all projects/,
  ],
])('a key %s is refused, and one with all rights reads', async (_, fields, sentence) => {
  const refused = await read('', (await insertKey({ tenantId: ours, ...fields })).token);
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringMatching(sentence)]);
  const { status } = await read('', (await insertKey({ tenantId: ours, access: 'destroy' })).token);
  expect(status).toBe(200);
});
