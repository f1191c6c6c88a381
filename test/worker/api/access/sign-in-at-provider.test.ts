/** Sign-ins at an identity provider: who becomes which member, and what opens a session. */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { identities, members } from '../../../../worker/store/schema/api-keys.ts';
import { deps, insertProject } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';
import {
  aPerson,
  aTenant,
  inviteMember as invited,
  minuteMs,
  startProviders,
} from '../../../support/worker/sign-in.ts';

const { clock, server, call, connect, signIn, open, keyOf } = await startProviders();

describe('a person', () => {
  test('who is invited signs in at the provider, which accepts the invitation, with the rights of the member', async () => {
    const tenantId = await aTenant();
    const project = await insertProject({ tenantId });
    const person = aPerson({ email: 'Ada@Example.com' });
    const email = person.email.toLowerCase();
    const { id } = await invited(tenantId, email, { projects: [project.id] });
    const provider = await connect({ tenantId, emailDomains: ['example.com'] });
    const key = await keyOf(await signIn(provider, person));
    expect(key).toMatchObject({ access: 'deploy', projects: [project.id], member: { id, email } });
    const [row] = await deps.db.select().from(members).where(eq(members.id, id));
    expect(row?.acceptedAt).toBe(clock.now);
  });

  test('is recognised by the subject: another address changes nothing, and the address alone opens nothing', async () => {
    const tenantId = await aTenant();
    const person = aPerson();
    const { id } = await invited(tenantId, person.email);
    const provider = await connect({ tenantId });
    await keyOf(await signIn(provider, person));
    const renamed = await signIn(provider, { sub: person.sub, email: 'new@example.com' });
    expect((await keyOf(renamed)).member.id).toBe(id);
    const other = await signIn(provider, aPerson({ email: person.email }));
    expect([other.status, other.body.code]).toEqual([403, 'forbidden']);
    expect(other.body.error).toContain('as somebody else');
  });

  test('joins without an invitation where the provider allows it, with its role and projects', async () => {
    const tenantId = await aTenant();
    const project = await insertProject({ tenantId });
    const provider = await connect({
      ...{ tenantId, emailDomains: ['Example.com'] },
      newMembers: { role: 'viewer', projects: [project.id] },
    });
    const person = aPerson();
    const key = await keyOf(await signIn(provider, person));
    expect(key).toMatchObject({
      access: 'read',
      projects: [project.id],
      member: { role: 'viewer', email: person.email },
    });
    expect((await keyOf(await signIn(provider, person))).member.id).toBe(key.member.id);
    const stranger = await signIn(provider, aPerson({ email: 'eve@evil.example' }));
    expect([stranger.status, stranger.body.code]).toEqual([403, 'forbidden']);
  });

  test.each([
    ['invitation', null],
    ['role for everybody', { role: 'viewer' }],
  ])(
    'who was removed does not come back by the same account or address, with a provider that has an %s',
    async (_, newMembers) => {
      const tenantId = await aTenant();
      const owner = await insertMember({ tenantId });
      const person = aPerson();
      const { id } = await invited(tenantId, person.email);
      const provider = await connect({ tenantId, emailDomains: ['example.com'], newMembers });
      const { token } = await keyOf(await signIn(provider, person));
      expect((await call('DELETE', `/api/members/${id}`, { token: owner.token })).status).toBe(200);
      expect((await call('GET', '/api/projects', { token })).status).toBe(401);
      const again = [person, { ...person, email: 'other@example.com' }, aPerson({ email: person.email })];
      for (const one of again) expect((await signIn(provider, one)).status).toBe(403);
      const back = await invited(tenantId, person.email);
      expect((await keyOf(await signIn(provider, person))).member.id).toBe(back.id);
    },
  );

  test('of another tenant with the same address is another member', async () => {
    const person = aPerson();
    const [one, other] = [await aTenant(), await aTenant()];
    await invited(other, person.email);
    const provider = await connect({ tenantId: one });
    expect((await signIn(provider, person)).status).toBe(403);
  });

  test('whose claims are only at the userinfo endpoint signs in, and not if it answers for somebody else', async () => {
    const tenantId = await aTenant();
    const person = aPerson();
    const { id } = await invited(tenantId, person.email);
    const provider = await connect({ tenantId });
    server.keepsClaims = true;
    try {
      server.fault = { claims: { sub: 'somebody-else' } };
      expect((await signIn(provider, person)).status).toBe(401);
      server.fault = {};
      expect((await keyOf(await signIn(provider, person))).member.id).toBe(id);
    } finally {
      server.keepsClaims = false;
      server.fault = {};
    }
  });
});

describe('an address', () => {
  test.each([
    ['is not verified', { email_verified: false }, {}],
    ['is not said to be verified', { email_verified: undefined }, {}],
    ['is verified in words', { email_verified: 'true' }, {}],
    ['is of a subdomain', { email: 'ada@mail.example.com' }, { emailDomains: ['example.com'] }],
    ['is of a domain that ends alike', { email: 'ada@notexample.com' }, { emailDomains: ['example.com'] }],
    ['names two domains', { email: 'ada@example.com@evil.example' }, {}],
    ['is absent', { email: undefined }, {}],
  ])('that %s binds nobody', async (_, fields, settings) => {
    const tenantId = await aTenant();
    const person = aPerson(fields);
    await invited(tenantId, person.email ?? 'nobody@example.com');
    const provider = await connect({ tenantId, ...settings });
    expect((await signIn(provider, person)).status).toBe(403);
    const rows = await deps.db.select().from(identities).where(eq(identities.providerId, provider));
    expect(rows).toEqual([]);
  });

  test('counts as verified where the operator says so', async () => {
    const tenantId = await aTenant();
    const person = aPerson({ email_verified: undefined });
    const { id } = await invited(tenantId, person.email);
    const provider = await connect({ tenantId, trustsEmail: true });
    expect((await keyOf(await signIn(provider, person))).member.id).toBe(id);
  });
});

describe('the code', () => {
  const aCode = async () => {
    const tenantId = await aTenant();
    const person = aPerson();
    const { id } = await invited(tenantId, person.email);
    const owner = await insertMember({ tenantId });
    const { body } = await signIn(await connect({ tenantId }), person);
    return { code: body.code as string, id, owner };
  };

  test('opens one session, and nothing else', async () => {
    const { code } = await aCode();
    expect((await call('GET', '/api/projects', { token: code })).status).toBe(401);
    expect((await open(code)).status).toBe(200);
    expect((await open(code)).status).toBe(401);
  });

  test('ends after two minutes', async () => {
    const { code } = await aCode();
    clock.now += 2 * minuteMs;
    expect((await open(code)).status).toBe(401);
  });

  test('ends with the member', async () => {
    const { code, id, owner } = await aCode();
    await call('DELETE', `/api/members/${id}`, { token: owner.token });
    expect((await open(code)).status).toBe(401);
  });
});
