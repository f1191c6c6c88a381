/** Accounts at providers that members add to themselves: whom they sign in then, and which are refused. */
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { identities } from '../../../../worker/store/schema/api-keys.ts';
import { deps, insertKey, type Json } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { startLinks } from '../../../support/worker/own-identities.ts';
import { aPerson, aTenant, inviteMember, team } from '../../../support/worker/sign-in.ts';

const {
  clock,
  server,
  access,
  call,
  operate,
  connect,
  startLink,
  finishLink,
  link,
  list,
  remove,
  prepared,
  signIn,
  open,
  keyOf,
} = await startLinks();

test('a member adds an account whose address is another, signs in by it, and removes it', async () => {
  const { member, provider, person } = await prepared();
  const offered = { id: provider, kind: 'oidc', name: 'Login', available: true };
  expect(await list(member.token)).toEqual({
    identities: [],
    providers: [offered],
    ways: { passkeys: 0, providers: [], hasOtherOwner: false },
  });
  expect((await signIn(provider, person)).status).toBe(403);
  const added = await link(member.token, provider, person);
  expect(added.headers.get('set-cookie')).toContain('longshore-sign-in=;');
  const at = new Date(clock.now).toISOString();
  expect(added.body.identity).toEqual({
    ...{ id: expect.any(String), providerId: provider, kind: 'oidc', name: 'Login', isUsable: true },
    ...{ createdAt: at, lastUsedAt: at },
  });
  expect(await list(member.token)).toMatchObject({
    identities: [added.body.identity],
    providers: [],
    ways: { providers: ['Login'] },
  });
  expect((await keyOf(await signIn(provider, person))).member.id).toBe(member.id);
  const removed = await remove(member.token, added.body.identity.id);
  expect(removed.body).toEqual({ ways: { passkeys: 0, providers: [], hasOtherOwner: false } });
  expect((await remove(member.token, added.body.identity.id)).status).toBe(404);
  const late = await signIn(provider, person);
  expect([late.status, late.body.error]).toEqual([403, expect.stringContaining('removed this account')]);
  expect((await list(member.token)).providers).toEqual([offered]);
});

describe('a removed account', () => {
  /** Bound by its address, as sign-ins do it. */
  const bound = async () => {
    const tenantId = await aTenant();
    const person = aPerson();
    const { id } = await inviteMember(tenantId, person.email);
    const provider = await connect({
      tenantId,
      newMembers: { role: 'viewer' },
      emailDomains: ['example.com'],
    });
    const { token } = await keyOf(await signIn(provider, person));
    const [identity] = (await list(token)).identities;
    return { tenantId, person, id, provider, token, identity };
  };

  test('is not bound again by its address, and neither is another account with that address', async () => {
    const { provider, person, token, identity } = await bound();
    await remove(token, identity.id);
    for (const one of [person, aPerson({ email: person.email })])
      expect((await signIn(provider, one)).status).toBe(403);
  });

  test('signs in again once its member adds it, and so does another one in its place', async () => {
    const { provider, person, token, identity, id } = await bound();
    await remove(token, identity.id);
    const again = (await link(token, provider, person)).body.identity;
    expect((await keyOf(await signIn(provider, person))).member.id).toBe(id);
    await remove(token, again.id);
    const other = aPerson();
    expect((await link(token, provider, other)).status).toBe(200);
    expect((await keyOf(await signIn(provider, other))).member.id).toBe(id);
    expect((await signIn(provider, person)).status).toBe(403);
  });

  test('can be added by another member', async () => {
    const { tenantId, provider, person, token, identity } = await bound();
    await remove(token, identity.id);
    const other = await insertMember({ tenantId });
    expect((await link(other.token, provider, person)).status).toBe(200);
    expect((await keyOf(await signIn(provider, person))).member.id).toBe(other.id);
  });

  test('of a member who is removed and invited again signs in again', async () => {
    const { tenantId, provider, person, token, identity, id } = await bound();
    await remove(token, identity.id);
    const owner = await insertMember({ tenantId });
    await call('DELETE', `/api/members/${id}`, { token: owner.token });
    expect((await signIn(provider, person)).status).toBe(403);
    const back = await inviteMember(tenantId, person.email);
    expect((await keyOf(await signIn(provider, person))).member.id).toBe(back.id);
  });
});

describe('an account is refused', () => {
  test('that another member has, and stays with that one', async () => {
    const { tenantId, member, provider, person } = await prepared();
    const other = await insertMember({ tenantId });
    await link(other.token, provider, person);
    const refused = await link(member.token, provider, person);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(refused.body.error).toContain('belongs to another member');
    expect((await keyOf(await signIn(provider, person))).member.id).toBe(other.id);
  });

  test('that the member has, and a second one at the same provider', async () => {
    const { member, provider, person } = await prepared();
    await link(member.token, provider, person);
    const twice = await link(member.token, provider, person);
    expect([twice.status, twice.body.error]).toEqual([409, expect.stringContaining('already')]);
    const second = await link(member.token, provider, aPerson());
    expect([second.status, second.body.error]).toEqual([409, expect.stringContaining('remove that one')]);
  });

  test.each([
    ['has an address of another domain', { email: 'eve@evil.example' }],
    ['has an address that is not verified', { email_verified: false }],
    ['has no address', { email: undefined }],
  ])('that %s, where the provider has domains', async (_, fields) => {
    const { member, provider } = await prepared({ emailDomains: ['example.com'] });
    const refused = await link(member.token, provider, aPerson(fields));
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect((await list(member.token)).identities).toEqual([]);
  });
});

test('a provider of another tenant, a disabled one and an unknown one are neither offered nor started', async () => {
  const { tenantId, member } = await prepared();
  const foreign = await connect({ tenantId: await aTenant() });
  const disabled = await connect({ tenantId, enabled: false });
  const offered = (await list(member.token)).providers.map(({ id }: Json) => id);
  for (const id of [foreign, disabled, 'absent']) {
    expect((await startLink(member.token, id)).reply.status).toBe(404);
    expect(offered).not.toContain(id);
  }
});

test('an account under an issuer that the operator has changed signs nobody in, and makes room for a new one', async () => {
  const { member, provider, person } = await prepared();
  await link(member.token, provider, person);
  const { provider: row } = (
    await operate('PATCH', `/${provider}`, { issuer: team, clientSecret: 'hunter2' })
  ).body;
  expect(row.issuer).toBe(team);
  expect(await list(member.token)).toMatchObject({
    identities: [{ isUsable: false }],
    providers: [{ id: provider }],
    ways: { providers: [] },
  });
  const passkeys = (await call('GET', '/api/passkeys', { token: member.token })).body;
  expect(passkeys.otherWays.providers).toEqual([]);
  const started = await startLink(member.token, provider);
  const added = await finishLink(member.token, started, access.authorize(started.location, person));
  expect([added.status, (await list(member.token)).identities.length]).toEqual([200, 1]);
});

test('a member of the same tenant, or of another, neither sees nor removes it; a key has none (403)', async () => {
  const { tenantId, member, provider, person } = await prepared();
  const { identity } = (await link(member.token, provider, person)).body;
  for (const other of [await insertMember({ tenantId }), await insertMember({ tenantId: await aTenant() })]) {
    expect((await remove(other.token, identity.id)).status).toBe(404);
    expect((await list(other.token)).identities).toEqual([]);
  }
  const { token } = await insertKey({ tenantId, access: 'destroy' });
  expect((await call('GET', '/api/identities', { token })).status).toBe(403);
  expect((await signIn(provider, person)).status).toBe(200);
});

test('a code of a sign-in that its account was removed during opens no session', async () => {
  const { member, provider, person } = await prepared();
  const { identity } = (await link(member.token, provider, person)).body;
  server.whileRedeemed = async () => {
    await remove(member.token, identity.id);
  };
  const signedIn = await signIn(provider, person);
  server.whileRedeemed = undefined;
  expect([signedIn.status, (await open(signedIn.body.code ?? 'x')).status]).toEqual([403, 401]);
});

test('two members who add one account at the same time: one has it', async () => {
  const { tenantId, member, provider, person } = await prepared();
  const other = await insertMember({ tenantId });
  const replies = await Promise.all([member, other].map(({ token }) => link(token, provider, person)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await deps.db.select().from(identities).where(eq(identities.providerId, provider))).toHaveLength(1);
});

describe('Cloudflare Access', () => {
  beforeEach(() => access.rotate('RS256'));

  test('adds who it has signed in, and refuses without a header or with a wrong one, and the session stays open', async () => {
    const { member, provider, person } = await prepared({ kind: 'cloudflare-access' });
    const by = (headers: Record<string, string>) =>
      call('POST', '/api/identities/access', {
        token: member.token,
        body: { providerId: provider },
        headers,
      });
    const header = async (claims: object, made = access) => ({
      'cf-access-jwt-assertion': await made.assertion({
        aud: ['aud-tag'],
        sub: person.sub,
        email: person.email,
        ...claims,
      }),
    });
    expect((await by({})).status).toBe(409);
    expect((await by(await header({ aud: ['another'] }))).status).toBe(409);
    expect((await by(await header({ sub: '' }))).status).toBe(403);
    expect((await by(await header({}))).body.identity).toMatchObject({
      providerId: provider,
      kind: 'cloudflare-access',
    });
    const headers = await header({});
    const signedIn = await call('POST', '/api/sign-in/access', { body: { providerId: provider }, headers });
    expect((await keyOf(signedIn)).member.id).toBe(member.id);
  });
});
