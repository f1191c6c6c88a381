/** Verification of identity tokens of CI jobs: signatures, times, forms, and issuers that are slow, huge or elsewhere. */
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { operatorToken } from '../../../support/worker/api.ts';
import { gitHubClaims } from '../../../support/worker/servers/ci-issuer.ts';
import { minuteMs, useTrust } from '../../../support/worker/trust.ts';

const { clock, server, call, aProject, exchange } = await useTrust();
const { project } = await aProject();
const claims = (given: object = {}) => gitHubClaims({ ...given });
const keysPath = '/.well-known/jwks';
const metadataPath = '/.well-known/openid-configuration';
beforeEach(() => server.answers.clear());

const send = (token: string) => exchange(token, project.id);
const seconds = (offset: number) => Math.floor(clock.now / 1000) + offset;

describe('a token is accepted with the signature', () => {
  test.each(['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'])('%s', async (alg) => {
    await server.rotate(alg);
    expect((await send(await server.sign(claims()))).status).toBe(200);
  });
});

describe('a token is refused (401)', () => {
  const issued = () => ({ iss: server.issuer, iat: seconds(0), exp: seconds(300), ...claims() });
  const forged: [string, () => Promise<string> | string][] = [
    ['without a signature', () => new UnsecuredJWT(issued()).encode()],
    [
      'signed with the public key as a shared secret',
      async () => {
        await server.rotate('RS256');
        const { kid } = server.publicJwk;
        const key = await importJWK(server.publicJwk, 'RS256', { extractable: true });
        const secret = new TextEncoder().encode(await exportSPKI(key as CryptoKey));
        return new SignJWT(issued()).setProtectedHeader({ alg: 'HS256', kid: kid ?? '' }).sign(secret);
      },
    ],
    ['signed with another key of the same id', () => server.forge(claims())],
    [
      'whose claims were changed',
      async () => {
        const [head, , signature] = (await server.sign(claims({ ref: 'refs/heads/dev' }))).split('.');
        return `${head}.${btoa(JSON.stringify(issued())).replaceAll('=', '')}.${signature}`;
      },
    ],
    ['that has expired', () => server.sign(claims({ exp: seconds(-31) }))],
    ['that begins in the future', () => server.sign(claims({ nbf: seconds(60) }))],
    ['that was issued in the future', () => server.sign(claims({ nbf: undefined, iat: seconds(60) }))],
    ['that is valid for days', () => server.sign(claims({ exp: seconds(90_000) }))],
    [
      'of another issuer',
      () => server.sign(claims({ iss: 'https://token.actions.githubusercontent.com.evil.example' })),
    ],
    ['that is no token', () => 'x'],
    ['of three empty parts', () => '..'],
    ['with claims that are no object', () => `e30.${btoa('[1]')}.AA`],
  ];
  test.each(forged)('%s', async (_, make) => {
    const { status, body } = await send(await make());
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
  });

  test.each(['iss', 'sub', 'aud', 'exp', 'iat'])(
    'without its claim "%s", which the answer names',
    async (name) => {
      const { status, body } = await send(await server.sign(claims({ [name]: undefined })));
      expect([status, body.error]).toEqual([401, expect.stringContaining(`"${name}"`)]);
    },
  );

  test.each(['repository', 'repository_id', 'repository_owner_id', 'ref', 'event_name', 'run_id'])(
    'without its claim "%s", and the answer lists the others',
    async (name) => {
      const { status, body } = await send(await server.sign(claims({ [name]: undefined })));
      const [, listed = ''] = /which has the claims (.*):/.exec(body.error) ?? [];
      expect([status, listed.split(', ').includes(name), listed.includes('workflow')]).toEqual([
        401,
        false,
        true,
      ]);
    },
  );

  test.each<[string, unknown]>([
    ['repository', ['octo-org/shop']],
    ['ref', { toString: 'refs/heads/main' }],
    ['aud', { 'https://longshore.test': true }],
    ['exp', '9999999999'],
    ['repository', 'x'.repeat(501)],
  ])('whose claim "%s" is %j', async (name, value) => {
    expect((await send(await server.sign(claims({ [name]: value })))).status).toBe(401);
  });
});

test('clocks may differ by half a minute', async () => {
  for (const given of [{ exp: seconds(-25) }, { nbf: seconds(25), iat: seconds(25) }])
    expect((await send(await server.sign(claims(given)))).status).toBe(200);
});

test('a token of 17 KB is refused by its size (400), one of 15 KB is not', async () => {
  const large = await server.sign(claims({ groups: 'x'.repeat(10_000) }));
  const huge = await server.sign(claims({ groups: 'x'.repeat(13_000) }));
  expect(huge.length).toBeGreaterThan(16_384);
  expect((await send(huge)).status).toBe(400);
  expect((await send(large)).status).toBe(200);
});

describe('keys that rotate', () => {
  test('an unknown key fetches the set again, and invented keys do not fetch it each time', async () => {
    const own = await useTrust({ keepMs: 60 * minuteMs, cooldownMs: 60 * minuteMs });
    const made = await own.aProject();
    const asked = () => own.server.requests.filter((path) => path === keysPath).length;
    const ask = async (token: string) => (await own.exchange(token, made.project.id)).status;
    expect(await ask(await own.server.sign(claims()))).toBe(200);
    expect(await ask(await own.server.sign(claims()))).toBe(200);
    expect(asked()).toBe(1);
    await own.server.rotate();
    for (let n = 0; n < 5; n++) await ask(await own.server.sign(claims()));
    expect(asked()).toBe(1);
  });
  test('a key that was published meanwhile is found', async () => {
    await server.rotate();
    expect((await send(await server.sign(claims()))).status).toBe(200);
  });
});

describe('an issuer that', () => {
  const unusable: [string, string, () => Response | Promise<Response>][] = [
    ['has no metadata', metadataPath, () => new Response('gone', { status: 404 })],
    [
      'has metadata of another issuer',
      metadataPath,
      () => Response.json({ issuer: 'https://evil.example', jwks_uri: 'https://evil.example/k' }),
    ],
    ['has no address of its keys', metadataPath, () => Response.json({ issuer: server.issuer })],
    [
      'has its keys at a private address',
      metadataPath,
      () => Response.json({ issuer: server.issuer, jwks_uri: 'https://169.254.169.254/keys' }),
    ],
    [
      'has its keys at plain http',
      metadataPath,
      () => Response.json({ issuer: server.issuer, jwks_uri: 'http://keys.example/keys' }),
    ],
    [
      'signs with a shared secret only',
      metadataPath,
      () =>
        Response.json({
          issuer: server.issuer,
          jwks_uri: `${server.issuer}${keysPath}`,
          id_token_signing_alg_values_supported: ['HS256', 'none'],
        }),
    ],
    [
      'sends its metadata to a private address',
      metadataPath,
      () => Response.redirect('http://127.0.0.1/', 302),
    ],
  ];
  test.each(unusable)('%s gets no key for its jobs, and the answer says why', async (_, path, answer) => {
    server.answers.set(path, answer);
    const { status, body } = await send(await server.sign(claims()));
    expect([status, body.code]).toEqual([409, 'provider_refused']);
    expect(body.error).toMatch(/^The identity token was refused\. /);
  });

  const badKeys: [string, () => Response | Promise<Response>][] = [
    ['redirects requests for its keys', () => Response.redirect('http://127.0.0.1/', 302)],
    ['has more than 256 KB of keys', () => new Response(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)],
    ['does not answer', () => new Promise<Response>(() => undefined)],
    ['has keys that are no JSON', () => new Response('<html>')],
  ];
  test.each(badKeys)('%s gets no key for its jobs', async (_, answer) => {
    // The set of the isolate may be known already.
    const own = await useTrust();
    own.server.answers.set(keysPath, answer);
    const made = await own.aProject();
    const fetched = own.exchange(await own.server.sign(claims()), made.project.id);
    expect(['provider_refused', 'unauthenticated']).toContain((await fetched).body.code);
  });
});

describe('the address of an issuer', () => {
  const create = (issuer: string, token: string, of: string) =>
    call('POST', `/api/projects/${of}/trust-policies`, {
      ...{ token, body: { provider: 'other', issuer, subject: 'x' } },
    });
  test.each([
    'http://ci.example.com',
    'https://127.0.0.1:8443',
    'https://[::1]',
    'https://localhost',
    'https://user:x@ci.example.com',
    'https://ci.example.com?x=1',
    'ftp://ci.example.com',
    'ci.example.com',
  ])('%s is refused (400)', async (issuer) => {
    const { project: own, token } = await aProject();
    const { status, body } = await create(issuer, token, own.id);
    expect([status, body.error]).toEqual([400, expect.stringContaining('"issuer"')]);
  });
  test("may be private if the operator allows it, in the operator's tenant", async () => {
    const set = (allowPrivateSignInProviders: boolean) =>
      call('PATCH', '/api/system/settings', { token: operatorToken, body: { allowPrivateSignInProviders } });
    await set(true);
    try {
      const { project: own, token } = await aProject();
      expect((await create('http://127.0.0.1:3000', token, own.id)).status).toBe(200);
    } finally {
      await set(false);
    }
  });
});
