/** Identity providers as the operator connects, changes and tests them, and where their requests go. */
import { describe, expect, test } from 'vitest';
import { deps, insertProject, operatorToken } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';
import {
  aPerson,
  aTenant,
  inviteMember,
  issuer,
  startProviders,
  team,
} from '../../../support/worker/sign-in.ts';

const { access, server, call, operate, connect, start, finish, signIn, keyOf } = await startProviders();

const oidc = {
  id: 'login',
  kind: 'oidc',
  name: 'Login',
  issuer,
  clientId: 'longshore',
  clientSecret: 'hunter2',
};

test('a provider is connected, shown without its secret, changed and removed', async () => {
  const made = await operate('POST', '', oidc);
  const { clientSecret: _, ...shown } = oidc;
  expect(made.body.provider).toMatchObject({
    ...{
      ...shown,
      tenantId: 'default',
      emailDomains: [],
      trustsEmail: false,
      newMembers: null,
      enabled: true,
    },
    ...{
      ownCallback: true,
      redirectUri: 'https://longshore.test/sign-in/callback/login',
      ownRedirectUri: null,
    },
  });
  expect(made.text).not.toContain('hunter2');
  const rows = JSON.stringify(await deps.db.all('select * from identity_providers'));
  expect(rows).not.toContain('hunter2');
  const changed = await operate('PATCH', '/login', { name: 'Work', emailDomains: ['Example.com'] });
  expect(changed.body.provider).toMatchObject({ ...shown, name: 'Work', emailDomains: ['example.com'] });
  expect((await operate('GET', '')).body.providers).toEqual([changed.body.provider]);
  expect((await operate('DELETE', '/login')).status).toBe(200);
  expect((await operate('GET', '')).body.providers).toEqual([]);
});

test('a provider of before tells the address that it can have of its own, and takes it when it is told to', async () => {
  await operate('POST', '', { ...oidc, ownCallback: false });
  const shared = 'https://longshore.test/sign-in/callback';
  const [shown] = (await operate('GET', '')).body.providers;
  expect(shown).toMatchObject({ redirectUri: shared, ownRedirectUri: `${shared}/login` });
  const { provider } = (await operate('PATCH', '/login', { ownCallback: true })).body;
  expect(provider).toMatchObject({ redirectUri: `${shared}/login`, ownRedirectUri: null });
});

describe('refused with the field and the way out', () => {
  test.each<[string, object, string]>([
    ['a plain http issuer', { issuer: 'http://login.example.com' }, '"issuer" must start with https://'],
    ['a private issuer', { issuer: 'https://10.0.0.1' }, 'allowPrivateSignInProviders'],
    ['an issuer on the loopback', { issuer: 'https://localhost:8080' }, 'private address'],
    ['an issuer with a password', { issuer: 'https://a:b@login.example.com' }, 'without user'],
    ['an issuer with a query', { issuer: 'https://login.example.com/?a=b' }, 'without a query'],
    ['a file as the issuer', { issuer: 'file:///etc/passwd' }, 'https URL'],
    ['an owner without an invitation', { newMembers: { role: 'owner' } }, '"newMembers.role"'],
    ['everybody with an account', { newMembers: { role: 'viewer' } }, '"emailDomains" is empty'],
    [
      'a project of nobody',
      { emailDomains: ['example.com'], newMembers: { role: 'viewer', projects: ['prj_aaaaaaaaaaaaaaaa'] } },
      '"newMembers.projects"',
    ],
    ['a tenant of nobody', { tenantId: 'ten_absent' }, '"tenantId"'],
    ['a domain that is none', { emailDomains: ['*'] }, '"emailDomains[0]"'],
    ['a secret of Access', { kind: 'cloudflare-access', issuer: team }, '"clientSecret"'],
    [
      'a path of Access',
      { kind: 'cloudflare-access', issuer: `${team}/cdn-cgi`, clientSecret: null },
      'address of the team',
    ],
  ])('%s', async (_, fields, words) => {
    const { status, body } = await operate('POST', '', { ...oidc, ...fields });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.error).toContain(words);
  });

  test('a project of another tenant', async () => {
    const project = await insertProject({ tenantId: await aTenant() });
    const newMembers = { role: 'viewer', projects: [project.id] };
    expect((await operate('POST', '', { ...oidc, emailDomains: ['example.com'], newMembers })).status).toBe(
      400,
    );
  });

  test('a taken id, and another server that would get the stored secret', async () => {
    await operate('POST', '', oidc);
    expect((await operate('POST', '', { ...oidc, name: 'Other' })).status).toBe(409);
    const moved = { issuer: 'https://evil.example' };
    const refused = await operate('PATCH', '/login', moved);
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('"clientSecret"')]);
    expect((await operate('PATCH', '/login', { ...moved, clientSecret: 'new' })).status).toBe(200);
  });
});

describe('the test', () => {
  const tested = async (fields: object = {}) => {
    const id = await connect(fields);
    return (await operate('POST', `/${id}/test`)).body.result;
  };

  test('tells that metadata, keys and client are right', async () => {
    const { ok, checks } = await tested();
    expect([ok, checks.map(({ field, ok: isOk }: { field: string; ok: boolean }) => [field, isOk])]).toEqual([
      true,
      [
        ['issuer', true],
        ['issuer', true],
        ['clientSecret', true],
      ],
    ]);
    expect((await tested({ kind: 'cloudflare-access' })).checks).toEqual([
      { field: 'issuer', ok: true, detail: `It has 1 keys at ${team}/cdn-cgi/access/certs.` },
    ]);
  });

  test.each<[string, object, string, string]>([
    ['a wrong secret', { clientSecret: 'wrong' }, 'clientSecret', 'invalid_client'],
    ['an issuer without metadata', { issuer: `${issuer}/other` }, 'issuer', 'answered with 404'],
    ['a host that does not answer', { issuer: 'https://nobody.example' }, 'issuer', 'could not be reached'],
  ])('names the field of %s', async (_, fields, field, words) => {
    const { ok, checks } = await tested(fields);
    expect([ok, checks.at(-1).field, checks.at(-1).detail]).toEqual([
      false,
      field,
      expect.stringContaining(words),
    ]);
  });

  const metadataPath = '/.well-known/openid-configuration';
  test.each<[string, () => Response]>([
    ['of another issuer', () => Response.json({ issuer: 'https://evil.example' })],
    ['that is no JSON', () => new Response('<html>')],
    ['that is a redirect', () => Response.redirect('https://evil.example', 302)],
    ['that is endless', () => new Response(new Uint8Array(300 * 1024))],
    [
      'with a private token endpoint',
      () => Response.json({ ...endpoints, token_endpoint: 'http://169.254.169.254/latest' }),
    ],
    ['with private keys', () => Response.json({ ...endpoints, jwks_uri: 'https://10.0.0.1/jwks' })],
    [
      'that signs with a shared secret',
      () => Response.json({ ...endpoints, id_token_signing_alg_values_supported: ['HS256'] }),
    ],
    ['without an endpoint', () => Response.json({ issuer, jwks_uri: `${issuer}/jwks` })],
  ])('refuses metadata %s, and so do sign-ins', async (_, answer) => {
    const tenantId = await aTenant();
    const person = aPerson();
    await inviteMember(tenantId, person.email);
    const id = await connect({ tenantId });
    const started = await start(id);
    const before = server.authorize(started.location, person);
    server.answers.set(metadataPath, answer);
    server.requests.length = 0;
    expect((await operate('POST', `/${id}/test`)).body.result.ok).toBe(false);
    const outcome = await finish(started, before);
    expect([outcome.status, outcome.body.code]).toEqual([409, 'provider_refused']);
    expect(server.requests.filter((path) => !path.startsWith('/tenant'))).toEqual([]);
    server.answers.clear();
  });

  const endpoints = {
    ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
    ...{ jwks_uri: `${issuer}/jwks`, authorization_response_iss_parameter_supported: true },
  };
});

test('a provider in a private network is reached only while the operator allows it', async () => {
  const allow = (allowPrivateSignInProviders: boolean) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { allowPrivateSignInProviders } });
  await allow(true);
  const id = await connect({ issuer: 'http://10.0.0.1' });
  await allow(false);
  const { reply } = await start(id);
  expect([reply.status, reply.body.error]).toEqual([
    409,
    expect.stringContaining('allowPrivateSignInProviders'),
  ]);
});

test('without a provider its members stay, and their sessions too', async () => {
  const tenantId = await aTenant();
  const person = aPerson();
  const { id } = await inviteMember(tenantId, person.email);
  const provider = await connect({ tenantId });
  const { token } = await keyOf(await signIn(provider, person));
  await operate('DELETE', `/${provider}`);
  expect((await call('GET', '/api/key', { token })).body.key.member.id).toBe(id);
  expect((await start(provider)).reply.status).toBe(404);
});

test('a tenant with a provider is deleted with it', async () => {
  const tenantId = await aTenant();
  const { id } = await insertMember({ tenantId });
  await connect({ tenantId });
  await call('DELETE', `/api/system/members/${id}`, { token: operatorToken });
  const { status, text } = await call('DELETE', `/api/system/tenants/${tenantId}`, { token: operatorToken });
  expect([status, text]).toEqual([200, expect.anything()]);
  expect(access.requests).not.toContain('/token');
});
