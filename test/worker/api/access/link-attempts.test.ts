/**
 * Adding an account at a provider to a member: what an attempt is bound to, and which answers are refused.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import { deps, insertKey, type Json } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { startLinks } from '../../../support/worker/own-identities.ts';
import { minuteMs } from '../../../support/worker/sign-in.ts';

const { clock, server, call, start, finish, startLink, finishLink, list, remove, prepared, signIn } =
  await startLinks();

describe('an attempt', () => {
  const begun = async () => {
    const own = await prepared();
    const started = await startLink(own.member.token, own.provider);
    return { ...own, started, response: server.authorize(started.location, own.person) };
  };

  test('is finished in its session only: neither by another member nor in another session of the same one', async () => {
    const { tenantId, member, started, response } = await begun();
    const other = await insertMember({ tenantId });
    const session = await insertKey({
      ...{
        tenantId,
        kind: 'session',
        madeBy: member.id,
        access: 'deploy',
        expiresAt: clock.now + 60 * minuteMs,
      },
    });
    const proof = await deps.fingerprint('session', session.id);
    server.requests.length = 0;
    for (const token of [other.token, `session ${session.token} ${proof}`]) {
      const refused = await finishLink(token, started, response);
      expect([refused.status, refused.body.error]).toEqual([
        409,
        expect.stringContaining('another member or in another session'),
      ]);
    }
    expect(server.requests).toEqual([]);
    expect((await finishLink(member.token, started, response)).status).toBe(200);
  });

  test('adds one account: what was removed does not come back by it', async () => {
    const { member, person, started, response } = await begun();
    const { identity } = (await finishLink(member.token, started, response)).body;
    await remove(member.token, identity.id);
    expect((await finishLink(member.token, started, response)).status).toBe(409);
    const again = await finishLink(member.token, started, server.authorize(started.location, person));
    expect([again.status, again.body.error]).toEqual([409, 'This sign-in was used already: start again.']);
    expect((await list(member.token)).identities).toEqual([]);
  });

  test('ends after ten minutes', async () => {
    const { member, started, response } = await begun();
    clock.now += 10 * minuteMs;
    const late = await finishLink(member.token, started, response);
    expect([late.status, late.body.error]).toEqual([
      409,
      expect.stringContaining('more than 10 minutes ago'),
    ]);
  });

  type Begun = Awaited<ReturnType<typeof begun>>;
  const withOne = (response: string, name: string, value: string) => {
    const parameters = new URLSearchParams(response);
    parameters.set(name, value);
    return String(parameters);
  };
  test.each<[string, (own: Begun, other: Begun) => Json]>([
    ['without its cookie', () => ({ cookie: '' })],
    ['with the cookie of another browser', (_, { started }) => ({ cookie: started.cookie })],
    ['with the proof of another browser', (_, { started }) => ({ proof: started.proof })],
    ['with the answer to another browser', (_, { response }) => ({ response })],
    ['with a state of its own', ({ response }) => ({ response: withOne(response, 'state', 'x') })],
    [
      'with another issuer',
      ({ response }) => ({ response: withOne(response, 'iss', 'https://evil.example') }),
    ],
    [
      'at the address of another provider',
      (_, { provider }) => ({ callback: `/sign-in/callback/${provider}` }),
    ],
    [
      'with a refusal of the provider',
      ({ started }) => ({ response: `error=access_denied&state=${started.state}` }),
    ],
  ])('is refused %s, and the session stays open', async (_, wrong) => {
    const own = await begun();
    const sent = { ...own.started, response: own.response, ...wrong(own, await begun()) };
    const refused = await finishLink(own.member.token, sent, sent.response);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await list(own.member.token)).identities).toEqual([]);
  });

  test('to sign in adds nothing, and one to add signs nobody in', async () => {
    const { member, provider, person, started, response } = await begun();
    const toSignIn = await start(provider);
    const answer = server.authorize(toSignIn.location, person);
    expect((await finishLink(member.token, toSignIn, answer)).status).toBe(409);
    expect((await finish(started, response)).status).toBe(401);
  });

  test('is neither started nor finished by a page of another origin', async () => {
    const { member, provider, started, response } = await begun();
    const headers = { origin: 'https://evil.example' };
    expect((await startLink(member.token, provider, headers)).reply.status).toBe(401);
    expect((await finishLink(member.token, started, response, headers)).status).toBe(401);
  });

  test('adds nothing once its session has ended, or its member was removed, while the provider answers', async () => {
    for (const ends of ['session', 'member'] as const) {
      const { tenantId, member, started, response, provider, person } = await begun();
      const owner = await insertMember({ tenantId });
      const end = ends === 'session' ? `sessions/${member.sessionId}` : `members/${member.id}`;
      const token = ends === 'session' ? member.token : owner.token;
      let ended = 0;
      server.whileRedeemed = async () => {
        ended = (await call('DELETE', `/api/${end}`, { token })).status;
      };
      const refused = await finishLink(member.token, started, response);
      server.whileRedeemed = undefined;
      expect([ends, ended, refused.status]).toEqual([ends, 200, 409]);
      expect((await signIn(provider, person)).status).toBe(403);
    }
  });
});
