/** What owners make for other members by links: it ends with the owner's right to make it, however far it has gone. */
import { beforeEach, describe, expect, test } from 'vitest';
import { deps, type Json, operatorToken } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { startLinks } from '../../../support/worker/own-identities.ts';
import { startPasskeys } from '../../../support/worker/passkeys.ts';
import { aPerson, aTenant } from '../../../support/worker/sign-in.ts';

const { clock, call, added, signIn: signInByPasskey, list: listPasskeys } = startPasskeys();
const providers = await startLinks();

// Failed sign-ins are counted by the minute.
beforeEach(() => {
  clock.now += 60_000;
});

const statusOf = async (token: string) => (await call('GET', '/api/projects', { token })).status;
const codeOf = (body: Json): string => body.link.path.replace('/sign-in#', '');
const open = (code: string) => call('POST', '/api/sessions', { token: code, body: { name: 'Browser' } });

/** @returns the session as a token for the client */
async function opened(code: string): Promise<string> {
  const { status, headers, body } = await open(code);
  expect([status, body.error]).toEqual([200, undefined]);
  return `session ${/=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1]} ${body.proof}`;
}

async function linkFor(token: string, memberId: string): Promise<string> {
  const { status, body } = await call('POST', `/api/members/${memberId}/links`, { token });
  expect([status, body.error]).toEqual([200, undefined]);
  return codeOf(body);
}

let count = 0;
async function invite(token: string, role = 'owner') {
  count += 1;
  const body = { email: `linked${count}@example.com`, name: 'Carol', role };
  const reply = await call('POST', '/api/members', { token, body });
  return {
    id: reply.body.member.id as string,
    code: codeOf(reply.body),
    invitedBy: reply.body.member.invitedBy,
  };
}

/** Two owners: Bob stays, and Mallory does not. */
async function aTeam() {
  const tenantId = await aTenant();
  return { tenantId, bob: await insertMember({ tenantId }), mallory: await insertMember({ tenantId }) };
}
type Team = Awaited<ReturnType<typeof aTeam>>;

const ends: [string, (team: Team) => ReturnType<typeof call>][] = [
  ['removed', ({ bob, mallory }) => call('DELETE', `/api/members/${mallory.id}`, { token: bob.token })],
  [
    'lowered to a developer',
    ({ bob, mallory }) =>
      call('PATCH', `/api/members/${mallory.id}`, { token: bob.token, body: { role: 'developer' } }),
  ],
  ['leaving', ({ mallory }) => call('DELETE', '/api/membership', { token: mallory.token })],
  [
    'removed by the operator',
    ({ mallory }) => call('DELETE', `/api/system/members/${mallory.id}`, { token: operatorToken }),
  ],
  [
    'lowered by the operator',
    ({ mallory }) =>
      call('PATCH', `/api/system/members/${mallory.id}`, { token: operatorToken, body: { role: 'viewer' } }),
  ],
];

describe.each(ends)('an owner who is %s', { tags: 'slow' }, (_, end) => {
  const ended = async (team: Team) => expect((await end(team)).status).toBe(200);

  test('signs in as nobody by a link that was made for another member', async () => {
    const team = await aTeam();
    const { bob, mallory } = team;
    const code = await linkFor(mallory.token, bob.id);
    await ended(team);
    expect((await open(code)).status).toBe(401);
    expect(await statusOf(bob.token)).toBe(200);
  });

  test('loses the sessions that were opened by such links, for owners and others, accepted or invited', async () => {
    const team = await aTeam();
    const { tenantId, bob, mallory } = team;
    const viewer = await insertMember({ tenantId, role: 'viewer' });
    const invited = await invite(bob.token);
    const ids = [bob.id, viewer.id, invited.id];
    const sessions = [];
    for (const id of ids) sessions.push(await opened(await linkFor(mallory.token, id)));
    expect(await Promise.all(sessions.map(statusOf))).toEqual([200, 200, 200]);
    await ended(team);
    expect(await Promise.all(sessions.map(statusOf))).toEqual([401, 401, 401]);
    expect(await Promise.all([bob.token, viewer.token].map(statusOf))).toEqual([200, 200]);
  });

  test('loses what such a session has made: links and sessions for third members, and invitations', async () => {
    const team = await aTeam();
    const { tenantId, bob, mallory } = team;
    const carol = await insertMember({ tenantId });
    const asBob = await opened(await linkFor(mallory.token, bob.id));
    const asCarol = await opened(await linkFor(asBob, carol.id));
    const [link, invited, accepted] = [
      await linkFor(asCarol, bob.id),
      await invite(asCarol),
      await invite(asBob),
    ];
    expect(invited.invitedBy).toBe(mallory.id);
    const asAccepted = await opened(accepted.code);
    await ended(team);
    expect(await Promise.all([asBob, asCarol, asAccepted].map(statusOf))).toEqual([401, 401, 401]);
    for (const code of [link, invited.code]) expect((await open(code)).status).toBe(401);
    expect(await Promise.all([bob.token, carol.token].map(statusOf))).toEqual([200, 200]);
  });

  test('loses the passkeys that were added from such a session, and what they have opened', async () => {
    const team = await aTeam();
    const { bob, mallory } = team;
    const own = await added(bob.token);
    const asBob = await opened(await linkFor(mallory.token, bob.id));
    const { device } = await added(asBob);
    const byPasskey = await opened((await signInByPasskey(device)).body.code);
    const later = await added(byPasskey);
    const unopened = (await signInByPasskey(device)).body.code;
    await ended(team);
    expect([await statusOf(byPasskey), (await open(unopened)).status]).toEqual([401, 401]);
    for (const one of [device, later.device]) expect((await signInByPasskey(one)).status).toBe(401);
    expect((await signInByPasskey(own.device)).status).toBe(200);
    expect((await listPasskeys(bob.token)).passkeys).toHaveLength(1);
  });

  test('loses the accounts at providers that were added from such a session, and what they have opened', async () => {
    const team = await aTeam();
    const { tenantId, bob, mallory } = team;
    const provider = await providers.connect({ tenantId });
    const person = aPerson();
    const asBob = await opened(await linkFor(mallory.token, bob.id));
    expect((await providers.link(asBob, provider, person)).status).toBe(200);
    const { token: byAccount } = await providers.keyOf(await providers.signIn(provider, person));
    expect(await statusOf(byAccount)).toBe(200);
    await ended(team);
    expect(await statusOf(byAccount)).toBe(401);
    expect((await providers.signIn(provider, person)).status).toBe(403);
    const own = aPerson();
    expect((await providers.link(bob.token, provider, own)).status).toBe(200);
    expect((await providers.signIn(provider, own)).status).toBe(200);
  });
});

test('people whom a removed owner invited stay members, signed in, and the list names who invited them', {
  tags: 'slow',
}, async () => {
  const { bob, mallory } = await aTeam();
  const invited = await invite(mallory.token, 'viewer');
  const session = await opened(invited.code);
  const { device } = await added(session);
  await call('DELETE', `/api/members/${mallory.id}`, { token: bob.token });
  expect([await statusOf(session), (await signInByPasskey(device)).status]).toEqual([200, 200]);
  const { members } = (await call('GET', '/api/members', { token: bob.token })).body;
  expect(members.find((one: Json) => one.id === invited.id).invitedBy).toBe(mallory.id);
});

test('a change that leaves an owner an owner ends nothing', { tags: 'slow' }, async () => {
  const { bob, mallory } = await aTeam();
  const session = await opened(await linkFor(mallory.token, bob.id));
  await call('PATCH', `/api/members/${mallory.id}`, {
    token: bob.token,
    body: { name: 'Mal', role: 'owner' },
  });
  expect(await statusOf(session)).toBe(200);
});

test('a removal ends nothing that links of the operator or of other owners have opened', {
  tags: 'slow',
}, async () => {
  const { bob, mallory, tenantId } = await aTeam();
  const carol = await insertMember({ tenantId });
  const byOperator = await call('POST', `/api/system/members/${carol.id}/links`, { token: operatorToken });
  const sessions = [await opened(codeOf(byOperator.body)), await opened(await linkFor(bob.token, carol.id))];
  await call('DELETE', `/api/members/${mallory.id}`, { token: bob.token });
  expect(await Promise.all(sessions.map(statusOf))).toEqual([200, 200]);
});

test('a member sees who made a link to their membership, before and after it was used, and ends it', {
  tags: 'slow',
}, async () => {
  const { bob, mallory } = await aTeam();
  const read = async () => (await call('GET', '/api/sessions', { token: bob.token })).body;
  const linkedBy = [{ id: mallory.id, name: 'Ada' }];
  const first = await linkFor(mallory.token, bob.id);
  const { links } = await read();
  expect(links).toEqual([expect.objectContaining({ linkedBy })]);
  expect((await call('DELETE', `/api/sessions/${links[0].id}`, { token: bob.token })).status).toBe(200);
  expect((await open(first)).status).toBe(401);
  await opened(await linkFor(mallory.token, bob.id));
  const after = await read();
  expect(after.links).toEqual([]);
  expect(after.sessions.map((one: Json) => one.linkedBy)).toEqual([[], linkedBy]);
});

test('the audit log names the maker of the link that opened a session', async () => {
  const { tenantId, bob, mallory } = await aTeam();
  await opened(await linkFor(mallory.token, bob.id));
  const read = async () => {
    const path = `/api/system/audit?tenantId=${tenantId}&actor=${bob.id}`;
    return (await call('GET', path, { token: operatorToken })).body.entries;
  };
  await expect
    .poll(read)
    .toEqual([expect.objectContaining({ route: 'POST /api/sessions', detail: { linkedBy: [mallory.id] } })]);
});

test('a passkey is not added by a session that has ended since it was authenticated', async () => {
  const { bob, mallory } = await aTeam();
  const asBob = await opened(await linkFor(mallory.token, bob.id));
  const { insertPasskey } = await import('../../../../worker/store/access/passkey-store.ts');
  const { sessions } = (await call('GET', '/api/sessions', { token: asBob })).body;
  const sessionId = sessions.find((one: Json) => one.isCurrent).id;
  await call('DELETE', `/api/members/${mallory.id}`, { token: bob.token });
  const row = {
    ...{ id: 'pky_late', memberId: bob.id, name: 'Late', rpId: 'longshore.test', credentialId: 'late' },
    ...{ publicKey: 'x', counter: 0, transports: [], canSync: false, isSynced: false, linkedBy: null },
    ...{ createdAt: deps.now(), lastUsedAt: null },
  };
  const used = { id: 'late', expiresAt: deps.now() + 60_000 };
  expect(await insertPasskey(deps.db, row, { used, sessionId, passkeysMax: 20 })).toBe('ended');
});
