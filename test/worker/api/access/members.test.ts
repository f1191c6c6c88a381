/** Members of a tenant: how one becomes a member, what each role may do, and what ends it. */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { readToken } from '../../../../worker/security/api-token.ts';
import { selectKeyByCurrentToken } from '../../../../worker/store/access/api-key-store.ts';
import { members } from '../../../../worker/store/schema/api-keys.ts';
import { projects } from '../../../../worker/store/schema/projects.ts';
import { openSession } from '../../../../worker/usecases/access/sessions.ts';
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

const dayMs = 86_400_000;
let clock = Date.now();
const call = createClient({ dependenciesOf: () => ({ ...deps, now: () => clock }) });

let count = 0;
/** A tenant with an owner and a project. */
async function aTenant() {
  count += 1;
  const tenantId = await insertTenant(`members-${count}`);
  const owner = await insertMember({ tenantId });
  const project = await insertProject({ tenantId });
  return { tenantId, owner, project };
}

const codeOf = ({ body }: { body: Json }): string => body.link.path.replace('/sign-in#', '');

async function invite(by: string, fields: Json = {}) {
  count += 1;
  const body = { email: `p${count}@example.com`, name: 'Grace', role: 'developer', ...fields };
  const reply = await call('POST', '/api/members', { token: by, body });
  expect([reply.status, reply.body.error]).toEqual([200, undefined]);
  return { id: reply.body.member.id as string, member: reply.body.member, code: codeOf(reply) };
}

const open = (code: string) => call('POST', '/api/sessions', { token: code, body: { name: 'Firefox' } });

/** @returns the session as a token for the client */
async function accept(code: string): Promise<string> {
  const { status, headers, body } = await open(code);
  expect([status, body.error]).toEqual([200, undefined]);
  return `session ${/=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1]} ${body.proof}`;
}

const join = async (by: string, fields: Json = {}) => {
  const { id, code } = await invite(by, fields);
  return { id, token: await accept(code) };
};
const listed = async (token: string): Promise<Json[]> =>
  (await call('GET', '/api/members', { token })).body.members;
const statusOf = async (token: string, method = 'GET', path = '/api/projects') =>
  (await call(method, path, { token })).status;
const change = (token: string, id: string, body: Json) =>
  call('PATCH', `/api/members/${id}`, { token, body });
const remove = (token: string, id: string) => call('DELETE', `/api/members/${id}`, { token });

describe('an invitation', () => {
  test('of the operator brings the first owner of a tenant, who invites the others', async () => {
    const tenantId = await insertTenant('first owner');
    const invited = await call('POST', `/api/system/tenants/${tenantId}/members`, {
      token: operatorToken,
      body: { email: ' Ada@Example.com ', name: 'Ada', role: 'owner' },
    });
    expect(invited.body.member).toMatchObject({
      ...{ email: 'ada@example.com', role: 'owner', projects: 'all', acceptedAt: null },
      linkExpiresAt: new Date(clock + 7 * dayMs).toISOString(),
    });
    const owner = await accept(codeOf(invited));
    const { key } = (await call('GET', '/api/key', { token: owner })).body;
    expect(key).toMatchObject({
      access: 'destroy',
      member: { id: invited.body.member.id, email: 'ada@example.com', role: 'owner' },
    });
    expect(key.may).toContain('manage-members');
    expect(key.may).toContain('make-keys');
    const { id } = await invite(owner);
    const members = await listed(owner);
    expect(members.map((one) => [one.id, one.acceptedAt !== null, one.linkExpiresAt !== null])).toEqual([
      [invited.body.member.id, true, false],
      [id, false, true],
    ]);
  });

  test('is accepted once, also if two browsers open it at the same time, and not after seven days', async () => {
    const { owner } = await aTenant();
    const [raced, late] = [await invite(owner.token), await invite(owner.token)];
    const both = await Promise.all([open(raced.code), open(raced.code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await open(raced.code)).status).toBe(401);
    clock += 7 * dayMs;
    expect((await open(late.code)).status).toBe(401);
    clock -= 7 * dayMs;
  });

  test('opens nothing but a session', async () => {
    const { owner } = await aTenant();
    const { code } = await invite(owner.token, { role: 'owner' });
    for (const path of ['/api/projects', '/api/members', '/api/key'])
      expect((await call('GET', path, { token: code })).status).toBe(401);
    const cookie = { cookie: `__Host-longshore-session=${code}`, 'x-longshore-session': 'x' };
    expect((await call('GET', '/api/members', { headers: cookie })).status).toBe(401);
  });

  test('ends when a newer link is made, and when it is taken back', async () => {
    const { owner } = await aTenant();
    const first = await invite(owner.token);
    const renewed = await call('POST', `/api/members/${first.id}/links`, { token: owner.token });
    expect((await open(first.code)).status).toBe(401);
    expect((await remove(owner.token, first.id)).status).toBe(200);
    expect((await open(codeOf(renewed))).status).toBe(401);
    expect((await listed(owner.token)).map(({ id }) => id)).toEqual([owner.id]);
  });

  test('ends with the owner who sent it: when removed, and when no longer an owner', async () => {
    const { owner } = await aTenant();
    const [removed, demoted] = [
      await join(owner.token, { role: 'owner' }),
      await join(owner.token, { role: 'owner' }),
    ];
    const links = [await invite(removed.token), await invite(demoted.token)];
    const stays = await join(removed.token);
    await remove(owner.token, removed.id);
    await change(owner.token, demoted.id, { role: 'viewer' });
    for (const { code } of links) expect((await open(code)).status).toBe(401);
    expect((await listed(owner.token)).map(({ id }) => id)).toEqual([owner.id, demoted.id, stays.id]);
  });

  test('of an address that is a member or invited is refused, whatever its case; of one that was removed it is not', async () => {
    const { owner } = await aTenant();
    const { id, member } = await invite(owner.token);
    const body = { email: member.email.toUpperCase(), name: 'Twin', role: 'viewer' };
    const again = await call('POST', '/api/members', { token: owner.token, body });
    expect([again.status, again.body.error]).toEqual([409, expect.stringContaining('"email"')]);
    await remove(owner.token, id);
    expect((await call('POST', '/api/members', { token: owner.token, body })).status).toBe(200);
  });

  test('names what is wrong: projects of another tenant, an owner of some projects, an address that is none', async () => {
    const [{ owner }, other] = [await aTenant(), await aTenant()];
    const fields = { email: 'x@example.com', name: 'X', role: 'viewer' };
    for (const [named, wrong] of [
      ['projects', { projects: [other.project.id] }],
      ['projects', { role: 'owner', projects: [other.project.id] }],
      ['email', { email: 'nobody' }],
      // The Kelvin sign is k in lower case.
      ['email', { email: 'x@example.\u212a' }],
      ['role', { role: 'admin' }],
    ] as const) {
      const reply = await call('POST', '/api/members', { token: owner.token, body: { ...fields, ...wrong } });
      expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(`"${named}"`)]);
    }
  });

  test('that is repeated after a lost answer gives a link that works', async () => {
    const { owner } = await aTenant();
    const request = {
      token: owner.token,
      headers: { 'idempotency-key': 'invite-1' },
      body: { email: 'twice@example.com', name: 'Twice', role: 'viewer' },
    };
    const [first, second] = [
      await call('POST', '/api/members', request),
      await call('POST', '/api/members', request),
    ];
    expect(second.body.member.id).toBe(first.body.member.id);
    await accept(codeOf(second));
  });
});

describe('a member', () => {
  test.each([
    ['viewer', [200, 403, 403]],
    ['deployer', [200, 404, 403]],
    ['developer', [200, 404, 404]],
    ['owner', [200, 404, 404]],
  ])('who is %s has the rights of that level', async (role, expected) => {
    const { owner } = await aTenant();
    const { token } = await join(owner.token, { role });
    expect([
      await statusOf(token),
      await statusOf(token, 'POST', '/api/services/svc_none/restart'),
      await statusOf(token, 'DELETE', '/api/services/svc_none'),
    ]).toEqual(expected);
  });

  test('of one project sees only that one, and nobody sees another tenant', async () => {
    const [{ tenantId, owner, project }, stranger] = [await aTenant(), await aTenant()];
    const hidden = await insertProject({ tenantId });
    const { token, id } = await join(owner.token, { projects: [project.id] });
    const slugs = async () =>
      (await call('GET', '/api/projects', { token })).body.projects.map(({ id: one }: Json) => one);
    expect(await slugs()).toEqual([project.id]);
    expect(await statusOf(token, 'GET', `/api/projects/${hidden.id}`)).toBe(404);
    expect(await statusOf(token, 'POST', '/api/projects')).toBe(403);
    for (const [method, path] of [
      ['PATCH', `/api/members/${id}`],
      ['DELETE', `/api/members/${id}`],
      ['POST', `/api/members/${id}/links`],
    ] as const) {
      const body = method === 'PATCH' ? { body: { name: 'Mine' } } : {};
      expect((await call(method, path, { token: stranger.owner.token, ...body })).status).toBe(404);
    }
    expect((await listed(stranger.owner.token)).map((one) => one.id)).toEqual([stranger.owner.id]);
  });

  test('makes no links and no sessions, and reaches nothing of the operator', async () => {
    const { owner } = await aTenant();
    for (const path of ['/api/sessions', '/api/sign-in-links'])
      expect((await call('POST', path, { token: owner.token, body: {} })).status).toBe(403);
    for (const path of ['/api/system/keys', '/api/system/audit', '/api/system/settings'])
      expect(await statusOf(owner.token, 'GET', path)).toBe(403);
  });

  test('signs in on another browser by a link of an owner, for a day', async () => {
    const { owner } = await aTenant();
    const { id, token } = await join(owner.token, { role: 'viewer' });
    const link = async () => codeOf(await call('POST', `/api/members/${id}/links`, { token: owner.token }));
    const other = await accept(await link());
    expect([await statusOf(token), await statusOf(other)]).toEqual([200, 200]);
    const late = await link();
    clock += dayMs;
    expect((await open(late)).status).toBe(401);
    clock -= dayMs;
  });

  test('of two tenants has a session in each, with its own rights', async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    const email = 'both@example.com';
    const [first, second] = [
      await join(one.owner.token, { email, role: 'viewer' }),
      await join(two.owner.token, { email, role: 'developer' }),
    ];
    expect(await statusOf(first.token, 'GET', `/api/projects/${two.project.id}`)).toBe(404);
    expect(await statusOf(second.token, 'GET', `/api/projects/${two.project.id}`)).toBe(200);
    await remove(one.owner.token, first.id);
    expect([await statusOf(first.token), await statusOf(second.token)]).toEqual([401, 200]);
  });
});

describe('a change of a member', () => {
  test('applies to open sessions from the next request on, in both directions', async () => {
    const { owner, project } = await aTenant();
    const { id, token } = await join(owner.token, { role: 'viewer' });
    const rename = () => call('PATCH', `/api/projects/${project.id}`, { token, body: { name: 'Renamed' } });
    expect((await rename()).status).toBe(403);
    await change(owner.token, id, { role: 'developer' });
    expect((await rename()).status).toBe(200);
    await change(owner.token, id, { role: 'viewer' });
    expect((await rename()).status).toBe(403);
    expect((await call('GET', '/api/key', { token })).body.key.member.role).toBe('viewer');
  });

  test('of the projects applies to open sessions too', async () => {
    const { tenantId, owner, project } = await aTenant();
    const other = await insertProject({ tenantId });
    const { id, token } = await join(owner.token);
    const seen = async () =>
      [project, other].map(async (one) => statusOf(token, 'GET', `/api/projects/${one.id}`));
    const all = async () => Promise.all(await seen());
    expect(await all()).toEqual([200, 200]);
    const reply = await change(owner.token, id, { projects: [other.id] });
    expect(reply.body.member.projects).toEqual([other.id]);
    expect(await all()).toEqual([404, 200]);
    await change(owner.token, id, { role: 'owner' });
    expect(await all()).toEqual([200, 200]);
  });

  test('that comes while a link is opened decides the rights of the session, and whether there is one', async () => {
    const { owner } = await aTenant();
    const [changed, removed] = [await invite(owner.token), await invite(owner.token)];
    // Authentication has read both links; what follows happens before the sessions are inserted.
    const read = async ({ code }: { code: string }) =>
      (await selectKeyByCurrentToken(deps.db, readToken(code)?.tokenId ?? ''))[0];
    const [one, other] = [await read(changed), await read(removed)];
    await change(owner.token, changed.id, { role: 'deployer' });
    await remove(owner.token, removed.id);
    const { session } = await openSession(deps, one, 'Firefox');
    expect(session.access).toBe('deploy');
    await expect(openSession(deps, other, 'Firefox')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('never takes the last owner away, also if two owners remove each other at once', async () => {
    const { owner } = await aTenant();
    // An invited owner is none yet.
    await invite(owner.token, { role: 'owner' });
    for (const reply of [
      await remove(owner.token, owner.id),
      await change(owner.token, owner.id, { role: 'viewer' }),
    ])
      expect([reply.status, reply.body.error]).toEqual([409, expect.stringContaining('last owner')]);
    const second = await join(owner.token, { role: 'owner' });
    const both = await Promise.all([remove(owner.token, second.id), remove(second.token, owner.id)]);
    expect(both.map(({ status }) => status === 200).sort()).toEqual([false, true]);
    const left = both[0].status === 200 ? owner : second;
    expect((await listed(left.token)).filter((one) => one.acceptedAt !== null)).toHaveLength(1);
  });

  test('by the operator may take the last owner away', async () => {
    const { tenantId, owner } = await aTenant();
    const reply = await call('DELETE', `/api/system/members/${owner.id}`, { token: operatorToken });
    expect([reply.status, await statusOf(owner.token)]).toEqual([200, 401]);
    const left = await call('GET', `/api/system/tenants/${tenantId}/members`, { token: operatorToken });
    expect(left.body.members).toEqual([]);
  });

  test('by somebody who is no longer an owner is refused, although the session is open', async () => {
    const { owner } = await aTenant();
    const { id, token } = await join(owner.token, { role: 'owner' });
    await change(owner.token, id, { role: 'developer' });
    expect((await change(token, id, { role: 'owner' })).status).toBe(403);
    expect((await call('POST', '/api/members', { token, body: {} })).status).toBe(403);
  });
});

describe('a removed member', () => {
  test('is out of all sessions and links at once, and is gone from the list', async () => {
    const { owner } = await aTenant();
    const { id, token } = await join(owner.token);
    const link = codeOf(await call('POST', `/api/members/${id}/links`, { token: owner.token }));
    expect((await remove(owner.token, id)).status).toBe(200);
    expect([await statusOf(token), (await open(link)).status]).toEqual([401, 401]);
    expect((await remove(owner.token, id)).status).toBe(404);
    expect(await deps.db.select().from(members).where(eq(members.id, id))).toEqual([]);
  });

  test('leaves the audit log: who invited, changed and removed whom, and whose session acted', async () => {
    const { tenantId, owner, project } = await aTenant();
    const { id, token } = await join(owner.token);
    await call('PATCH', `/api/projects/${project.id}`, { token, body: { name: 'Audited' } });
    await change(owner.token, id, { role: 'viewer' });
    await remove(owner.token, id);
    const read = async () => {
      const { entries } = (
        await call('GET', `/api/system/audit?tenantId=${tenantId}`, { token: operatorToken })
      ).body;
      return entries.map(({ route, actor, resourceId }: Json) => [route, actor, resourceId]).reverse();
    };
    const session = expect.stringMatching(/^key_/);
    await expect.poll(read).toEqual([
      ['POST /api/members', owner.sessionId, id],
      ['POST /api/sessions', id, session],
      ['PATCH /api/projects/:projectId', session, project.id],
      ['PATCH /api/members/:memberId', owner.sessionId, id],
      ['DELETE /api/members/:memberId', owner.sessionId, id],
    ]);
  });
});

describe('a member who leaves', () => {
  const leave = (token: string) => call('DELETE', '/api/membership', { token });

  test('is out of all sessions and links at once, and the answer says what remains', async () => {
    const { tenantId, owner } = await aTenant();
    const { id, token } = await join(owner.token, { role: 'viewer' });
    const second = codeOf(await call('POST', `/api/members/${id}/links`, { token: owner.token }));
    const other = await accept(second);
    const third = codeOf(await call('POST', `/api/members/${id}/links`, { token: owner.token }));
    const left = await leave(token);
    expect([left.status, left.body]).toEqual([
      200,
      { ok: true, detail: expect.stringMatching(/audit log .* fingerprint .* invite you/) },
    ]);
    expect(left.headers.get('set-cookie')).toMatch(/Max-Age=0/);
    for (const one of [token, other]) expect(await statusOf(one)).toBe(401);
    expect((await open(third)).status).toBe(401);
    expect((await listed(owner.token)).map((one) => one.id)).toEqual([owner.id]);
    expect((await leave(token)).status).toBe(401);
    const audit = `/api/system/audit?tenantId=${tenantId}`;
    const read = async () =>
      (await call('GET', audit, { token: operatorToken })).body.entries.map(
        ({ route, status, resourceId }: Json) => [route, status, resourceId],
      );
    await expect.poll(read).toContainEqual(['DELETE /api/membership', 200, id]);
  });

  test('leaves an owner behind, also if two owners leave at once, and ends the invitations that they sent', async () => {
    const { owner } = await aTenant();
    const refused = await leave(owner.token);
    expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('last owner')]);
    expect(await statusOf(owner.token)).toBe(200);
    const { token } = await join(owner.token, { role: 'owner' });
    const invited = await invite(owner.token);
    const both = await Promise.all([leave(owner.token), leave(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [stays = ''] = [owner.token, token].filter((_, index) => both[index]?.status === 409);
    expect((await listed(stays)).filter(({ role }) => role === 'owner')).toHaveLength(1);
    expect((await open(invited.code)).status).toBe(stays === token ? 401 : 200);
  });

  test('is a member: a key and the session of a key are refused', async () => {
    const key = await insertKey({ access: 'destroy' });
    const expiresAt = clock + dayMs;
    const session = await insertKey({ access: 'destroy', kind: 'session', madeBy: key.id, expiresAt });
    const proof = await deps.fingerprint('session', session.id);
    for (const token of [key.token, `session ${session.token} ${proof}`]) {
      const { status, body } = await leave(token);
      expect([status, body.error]).toEqual([403, expect.stringContaining('Only a member can leave')]);
    }
  });
});

test('a tenant with members is not deleted, and the error names them', async () => {
  const { tenantId } = await aTenant();
  await deps.db.delete(projects).where(eq(projects.tenantId, tenantId));
  const reply = await call('DELETE', `/api/system/tenants/${tenantId}`, { token: operatorToken });
  expect([reply.status, reply.body.error]).toEqual([409, expect.stringContaining('1 member')]);
});

test('a key manages no members, whatever its level is', async () => {
  const { owner, tenantId } = await aTenant();
  const { token } = await insertKey({ access: 'destroy', tenantId });
  expect((await call('GET', '/api/members', { token })).body.code).toBe('forbidden');
  expect((await change(token, owner.id, { role: 'viewer' })).status).toBe(403);
});
