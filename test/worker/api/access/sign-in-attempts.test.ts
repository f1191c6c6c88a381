/**
 * Sign-ins at an identity provider: what an attempt is bound to, and which answers and tokens are refused.
 * @module-tag slow
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../../worker/domain/instance/settings.ts';
import { deps } from '../../../support/worker/api.ts';
import type { Fault } from '../../../support/worker/servers/identity-server.ts';
import {
  aPerson,
  aTenant,
  callbackOf,
  inviteMember as invited,
  issuer,
  minuteMs,
  startProviders,
  team,
} from '../../../support/worker/sign-in.ts';

const { clock, server, access, call, operate, connect, start, finish, signIn } = await startProviders();

const second = () => Math.floor(clock.now / 1000);

test.each<[string, () => Fault]>([
  ['another nonce', () => ({ claims: { nonce: 'other' } })],
  ['no nonce', () => ({ without: ['nonce'] })],
  ['another audience', () => ({ claims: { aud: 'another-client' } })],
  ['an audience with a stranger and no azp', () => ({ claims: { aud: ['longshore', 'another-client'] } })],
  ['another issuer', () => ({ claims: { iss: 'https://login.example.com/other' } })],
  ['a past end', () => ({ claims: { exp: second() - 60, iat: second() - 360 } })],
  ['no end', () => ({ without: ['exp'] })],
  ['no subject', () => ({ without: ['sub'] })],
  ['a start in the future', () => ({ claims: { nbf: second() + 600 } })],
  ['no signature', () => ({ signature: 'none' })],
  ['a signature by HS256 with the public key', () => ({ signature: 'public' })],
  ['a signature of another key with a known id', () => ({ signature: 'foreign' })],
])('an ID token with %s is refused (401)', async (_, fault) => {
  const tenantId = await aTenant();
  const person = aPerson();
  await invited(tenantId, person.email);
  const provider = await connect({ tenantId });
  server.fault = fault();
  const refused = await signIn(provider, person).finally(() => {
    server.fault = {};
  });
  expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);
  expect(refused.body.error).toMatch(/^Signing in at Login failed\. /);
  expect((await signIn(provider, person)).status).toBe(200);
});

test.each([
  ['empty', ''],
  ['blank', '  '],
  ['of 256 characters', 'x'.repeat(256)],
])('two people whose subject is %s do not become one member: nobody is signed in (403)', async (_, sub) => {
  const tenantId = await aTenant();
  const provider = await connect({ tenantId });
  for (const person of [aPerson({ sub }), aPerson({ sub })]) {
    await invited(tenantId, person.email);
    const refused = await signIn(provider, person);
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('names no person')]);
  }
  const longest = aPerson({ sub: 'x'.repeat(255) });
  await invited(tenantId, longest.email);
  expect((await signIn(provider, longest)).status).toBe(200);
});

describe('an attempt', () => {
  const prepared = async () => {
    const tenantId = await aTenant();
    const person = aPerson();
    await invited(tenantId, person.email);
    const provider = await connect({ tenantId });
    const started = await start(provider);
    return { provider, person, started, response: server.authorize(started.location, person) };
  };

  test('asks for a code with PKCE, and keeps its secrets from the page', async () => {
    const { provider, started } = await prepared();
    const asked = Object.fromEntries(new URL(started.location).searchParams);
    expect(asked).toMatchObject({
      ...{ response_type: 'code', client_id: 'longshore', scope: 'openid email profile' },
      ...{ redirect_uri: `https://longshore.test/sign-in/callback/${provider}`, state: started.state },
      code_challenge_method: 'S256',
    });
    expect(started.location.startsWith(`${issuer}/authorize?`)).toBe(true);
    expect(started.reply.headers.get('set-cookie')).toMatch(
      /^__Host-longshore-sign-in=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/,
    );
    expect(started.cookie).not.toContain(asked.nonce);
  });

  test('signs in once, even if the provider would redeem its code again', async () => {
    const { started, person, response } = await prepared();
    expect((await finish(started, response)).status).toBe(200);
    expect((await finish(started, response)).status).toBe(401);
    const again = await finish(started, server.authorize(started.location, person));
    expect([again.status, again.body.error]).toEqual([401, 'This sign-in was used already: start again.']);
  });

  type Prepared = Awaited<ReturnType<typeof prepared>>;
  type Sent = { cookie?: string; proof?: string; response?: string; callback?: string };
  /** The answer with another value in it. */
  const withOne = (response: string, name: string, value: string) => {
    const parameters = new URLSearchParams(response);
    parameters.set(name, value);
    return String(parameters);
  };
  const codeOf = ({ response }: Prepared) => new URLSearchParams(response).get('code') ?? '';

  test.each<[string, (own: Prepared, other: Prepared) => Sent]>([
    ['without its cookie', () => ({ cookie: '' })],
    ['with the cookie of another browser', (_, { started }) => ({ cookie: started.cookie })],
    ['with the proof of another browser', (_, { started }) => ({ proof: started.proof })],
    ['with the answer to another browser', (_, { response }) => ({ response })],
    [
      'with the state of another browser',
      ({ response }, other) => ({ response: withOne(response, 'state', other.started.state) }),
    ],
    ['with two states', ({ response }) => ({ response: `${response}&state=other` })],
    [
      'with a code of another attempt',
      ({ response }, other) => ({ response: withOne(response, 'code', codeOf(other)) }),
    ],
    [
      'without the issuer that the provider promises',
      ({ response }) => ({ response: response.replace(/&iss=.*$/, '') }),
    ],
    [
      'with another issuer',
      ({ response }) => ({ response: withOne(response, 'iss', 'https://evil.example') }),
    ],
    [
      'at the address of another provider',
      (_, { provider }) => ({ callback: `/sign-in/callback/${provider}` }),
    ],
    ['at the address that providers shared', () => ({ callback: '/sign-in/callback' })],
    [
      'at its own address with more behind it',
      ({ provider }) => ({ callback: `/sign-in/callback/${provider}/` }),
    ],
    ['with a changed cookie', ({ started }) => ({ cookie: `${started.cookie.slice(0, -4)}AAAA` })],
  ])('is refused (401) %s', async (_, wrong) => {
    const own = await prepared();
    const sent = { ...own.started, response: own.response, ...wrong(own, await prepared()) };
    const refused = await finish(sent, sent.response);
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);
  });

  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another port', { 'sec-fetch-site': 'same-site', origin: 'https://longshore.test:8443' }],
    ['of another origin', { origin: 'https://evil.example' }],
  ])('is neither started nor finished by a page %s (403)', async (_, headers) => {
    const { provider, started, response } = await prepared();
    expect((await start(provider, { headers })).reply.status).toBe(403);
    expect((await finish(started, response, headers)).status).toBe(403);
  });

  test('ends after ten minutes', async () => {
    const { started, response } = await prepared();
    clock.now += 10 * minuteMs;
    const late = await finish(started, response);
    expect([late.status, late.body.error]).toEqual([
      401,
      expect.stringContaining('more than 10 minutes ago'),
    ]);
  });

  test('tells why the provider refused, and is refused when the provider is gone or disabled meanwhile', async () => {
    const { provider, started, response } = await prepared();
    const { state } = started;
    const denied = String(new URLSearchParams({ error: 'access_denied', state, iss: issuer }));
    expect((await finish(started, denied)).body.error).toContain('The provider refused: access_denied.');
    const next = await start(provider);
    await operate('PATCH', `/${provider}`, { enabled: false });
    expect((await finish(next, response.replace(state, next.state))).status).toBe(404);
  });

  test.each<[string, () => void]>([
    ['refuses its code', () => server.answers.set('/token', () => new Response('{}', { status: 400 }))],
    ['does not answer', () => server.answers.set('/token', () => new Response(null, { status: 503 }))],
  ])('ends at its first finish, also if the provider %s: it is not asked again', async (_, fail) => {
    const { started, response } = await prepared();
    fail();
    server.requests.length = 0;
    expect((await finish(started, response)).status).toBeGreaterThanOrEqual(400);
    server.answers.clear();
    for (let n = 0; n < 3; n++) {
      const again = await finish(started, response);
      expect([again.status, again.body.error]).toEqual([401, 'This sign-in was used already: start again.']);
    }
    expect(server.requests.filter((path) => path.endsWith('/token'))).toHaveLength(1);
  });

  test('that nobody has finished has written nothing', async () => {
    const before = await deps.db.all('select count(*) as count from used_sign_ins');
    await prepared();
    expect(await deps.db.all('select count(*) as count from used_sign_ins')).toEqual(before);
  });
});

/** A provider that attacks starts a sign-in at itself, and sends the browser on to an honest one: it wants to be given the honest one's code. */
describe('a mix-up of two providers that do not say who they are', () => {
  const silent = { authorization_response_iss_parameter_supported: false };
  const mixedUp = async (honestShares: boolean, evilShares: boolean) => {
    const tenantId = await aTenant();
    const victim = aPerson();
    await invited(tenantId, victim.email);
    const honest = await connect({ tenantId, ownCallback: !honestShares });
    const evil = await connect({
      ...{ tenantId, issuer: team, ownCallback: !evilShares },
    });
    const [ofHonest, ofEvil] = [await start(honest), await start(evil)];
    const asked = new URL(ofHonest.location);
    asked.searchParams.set('state', ofEvil.state);
    const response = new URLSearchParams(server.authorize(asked.href, victim));
    response.delete('iss');
    access.requests.length = 0;
    // The honest provider sends the browser to an address that is registered for its client.
    const ended = await finish({ ...ofEvil, callback: callbackOf(ofHonest.location) }, String(response));
    return { status: ended.status, asksEvil: access.requests.includes('/token') };
  };
  beforeAll(() => {
    server.metadata = silent;
    access.metadata = silent;
  });
  afterAll(() => {
    server.metadata = {};
    access.metadata = {};
  });

  test.each([
    ['each has an address', false, false],
    ['only the honest one has an address', false, true],
    ['only the attacking one has an address', true, false],
  ])('is refused (401), and the attacker is sent no code, if %s', async (_, honestShares, evilShares) => {
    expect(await mixedUp(honestShares, evilShares)).toEqual({ status: 401, asksEvil: false });
  });

  test('is not noticed between two that share an address, which is why new ones do not', async () => {
    expect(await mixedUp(true, true)).toMatchObject({ asksEvil: true });
  });

  test('does not keep an honest sign-in at one of its own address from working', async () => {
    const tenantId = await aTenant();
    const person = aPerson();
    await invited(tenantId, person.email);
    const started = await start(await connect({ tenantId }));
    const response = server.authorize(started.location, person).replace(/&iss=.*$/, '');
    expect((await finish(started, response)).status).toBe(200);
  });
});

test('a provider that was connected before there were addresses of their own signs in at the shared one, also from a page of then', async () => {
  const tenantId = await aTenant();
  const person = aPerson();
  await invited(tenantId, person.email);
  const provider = await connect({ tenantId, ownCallback: false });
  const started = await start(provider);
  expect(callbackOf(started.location)).toBe('/sign-in/callback');
  const { proof, cookie } = started;
  const body = { proof, response: server.authorize(started.location, person) };
  const ended = await call('POST', '/api/sign-in/oidc/finish', { body, headers: { cookie } });
  expect(ended.status).toBe(200);
  await operate('PATCH', `/${provider}`, { ownCallback: true });
  expect(callbackOf((await start(provider)).location)).toBe(`/sign-in/callback/${provider}`);
});

test('keys of the provider rotate, with every accepted algorithm, and not with others', async () => {
  const tenantId = await aTenant();
  const person = aPerson();
  await invited(tenantId, person.email);
  const provider = await connect({ tenantId });
  for (const alg of ['RS256', 'EdDSA', 'ES256'] as const) {
    await server.rotate(alg);
    expect([alg, (await signIn(provider, person)).status]).toEqual([alg, 200]);
  }
  await server.rotate('PS256');
  expect((await signIn(provider, person)).status).toBe(401);
  await server.rotate('ES256');
});

test('failed sign-ins count for the address, which is refused at the limit', async () => {
  const headers = { 'cf-connecting-ip': '203.0.113.99' };
  const body = { proof: '', response: '' };
  const tryOut = async () => (await call('POST', '/api/sign-in/oidc/finish', { body, headers })).status;
  for (let tried = 0; tried < defaultSettings.failedSignInsPerMinute; tried++)
    expect(await tryOut()).toBe(401);
  expect(await tryOut()).toBe(429);
});
