/** The operator's browsers: what opens a session, what it needs beside its cookie, what it opens, and what ends it. */
import { expect, test } from 'vitest';
import { operatorProofs, operatorTokenCheck } from '../../../../worker/security/operator-token.ts';
import { pruneMadeKeys } from '../../../../worker/store/access/api-key-store.ts';
import { createClient, deps, insertKey, insertProject, operatorToken } from '../../../support/worker/api.ts';

const hourMs = 3_600_000;
let clock = Date.now();
const call = createClient({ dependenciesOf: () => ({ ...deps, now: () => clock }) });

/** Signs in as a browser does: the credential is sent once. @param credential the operator token, or a link's code */
async function signIn(credential = operatorToken, client = call) {
  const reply = await client('POST', '/api/system/sessions', {
    token: credential,
    body: { name: 'Firefox' },
  });
  expect([reply.status, reply.body.error]).toEqual([200, undefined]);
  const setCookie = reply.headers.get('set-cookie') ?? '';
  const cookie = setCookie.split(';')[0] ?? '';
  return {
    id: reply.body.session.id as string,
    headers: { cookie, 'x-longshore-operator': reply.body.proof } as Record<string, string>,
    setCookie,
  };
}

const statusOf = async (headers: Record<string, string>, method = 'GET', path = '/api/system/settings') =>
  (await call(method, path, { headers })).status;
const linkOf = async (): Promise<string> => {
  const { body } = await call('POST', '/api/system/sign-in-links', { token: operatorToken });
  return body.link.path.replace('/operator#', '');
};

test('the operator token opens a session for routes of the operator, and for no others', async () => {
  const { slug } = await insertProject();
  const { headers, setCookie } = await signIn();
  expect(setCookie).toMatch(
    /^__Host-longshore-operator=lsk_\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
  );
  expect(await statusOf(headers)).toBe(200);
  expect(await statusOf(headers, 'GET', '/api/system/tenants')).toBe(200);
  const asKey = { ...headers, 'x-longshore-session': headers['x-longshore-operator'] ?? '' };
  const [, token = ''] = headers.cookie?.split('=') ?? [];
  const inKeyCookie = { ...asKey, cookie: `__Host-longshore-session=${token}` };
  for (const path of ['/api/projects', '/api/key', `/api/projects/${slug}`])
    for (const one of [headers, asKey, inKeyCookie, { authorization: `Bearer ${token}` }])
      expect(await statusOf(one, 'GET', path)).toBe(401);
});

test('its cookie needs the proof, the page of this origin, and is no session of a key', async () => {
  const [{ headers }, other] = [await signIn(), await signIn()];
  const { cookie = '', 'x-longshore-operator': proof = '' } = headers;
  const { token } = await insertKey();
  const { body, headers: answered } = await call('POST', '/api/sessions', { token, body: {} });
  const keyCookie = answered.get('set-cookie')?.split(';')[0]?.split('=')[1];
  const refused: Record<string, string>[] = [
    { cookie },
    { 'x-longshore-operator': proof },
    { cookie, 'x-longshore-operator': other.headers['x-longshore-operator'] ?? '' },
    { ...headers, origin: 'https://evil.test' },
    { ...headers, 'sec-fetch-site': 'same-site' },
    { cookie: `__Host-longshore-operator=${keyCookie}`, 'x-longshore-operator': body.proof },
    { authorization: `Bearer ${cookie.split('=')[1]}` },
  ];
  for (const method of ['GET', 'PATCH'])
    expect(await Promise.all(refused.map((one) => statusOf(one, method)))).toEqual(refused.map(() => 401));
});

test('a link of the operator opens one session, once, within 15 minutes, and is no sign-in link of a key', async () => {
  const [code, late] = [await linkOf(), await linkOf()];
  expect((await call('POST', '/api/sessions', { token: code, body: {} })).status).toBe(401);
  expect((await call('GET', '/api/system/settings', { token: code })).status).toBe(401);
  const open = () => call('POST', '/api/system/sessions', { token: code, body: {} });
  expect((await Promise.all([open(), open()])).map(({ status }) => status).sort()).toEqual([200, 401]);
  clock += 16 * 60_000;
  expect((await call('POST', '/api/system/sessions', { token: late, body: {} })).status).toBe(401);
  const key = await insertKey({ access: 'destroy' });
  const made = await call('POST', '/api/sign-in-links', { token: key.token });
  const keyLink = made.body.link.path.replace('/sign-in#', '');
  expect((await call('POST', '/api/system/sessions', { token: keyLink, body: {} })).status).toBe(401);
  expect((await call('POST', '/api/system/sessions', { token: key.token, body: {} })).status).toBe(403);
});

test('it makes no other session, and ends after 8 hours, by hand from any other, and by its own sign-out', async () => {
  const { headers, id } = await signIn();
  for (const path of ['/api/system/sessions', '/api/system/sign-in-links'])
    expect(await statusOf(headers, 'POST', path)).toBe(403);
  const other = await signIn();
  const { body } = await call('GET', '/api/system/sessions', { headers });
  expect(body.sessions).toContainEqual(expect.objectContaining({ id, isCurrent: true, name: 'Firefox' }));
  expect(body.sessions).toContainEqual(expect.objectContaining({ id: other.id, isCurrent: false }));
  expect(await statusOf(headers, 'DELETE', `/api/system/sessions/${other.id}`)).toBe(200);
  expect(await statusOf(other.headers)).toBe(401);
  const ended = await call('DELETE', `/api/system/sessions/${id}`, { headers });
  expect(ended.headers.get('set-cookie')).toMatch(/^__Host-longshore-operator=; .*Max-Age=0/);
  expect(await statusOf(headers)).toBe(401);
  const last = await signIn();
  clock += 8 * hourMs + 1;
  expect(await statusOf(last.headers)).toBe(401);
});

test('it ends with the operator token, after the time in which the previous one still counts', async () => {
  const { headers, id } = await signIn();
  const next = 'another-operator-token-0123456789';
  const after = (...tokens: string[]) =>
    createClient({
      dependenciesOf: () => ({
        ...deps,
        now: () => clock,
        isOperatorToken: operatorTokenCheck(...tokens),
        operatorProofs: operatorProofs(...tokens),
      }),
    })('GET', '/api/system/settings', { headers });
  expect((await after(next, operatorToken)).status).toBe(200);
  expect((await after(next)).status).toBe(401);
  expect(id).toMatch(/^key_/);
});

test('the audit log names the session that the operator opened, and as which it acts', async () => {
  const { headers, id } = await signIn(await linkOf());
  await call('PATCH', '/api/system/settings', { headers, body: { auditDays: 365 } });
  const entries = async (query: string) =>
    (await call('GET', `/api/system/audit?${query}`, { headers })).body.entries;
  await expect
    .poll(() => entries(`actor=${id}`))
    .toEqual([expect.objectContaining({ route: 'PATCH /api/system/settings', tenantId: null })]);
  await expect
    .poll(() => entries('actor=operator'))
    .toContainEqual(expect.objectContaining({ route: 'POST /api/system/sessions', resourceId: id }));
});

test('sessions and links of the operator are in no list of keys, and are removed after their end', async () => {
  const { headers, id } = await signIn(await linkOf());
  const { body } = await call('GET', '/api/system/keys', { headers });
  expect(body.keys.map((key: { id: string }) => key.id)).not.toContain(id);
  expect(await statusOf(headers, 'DELETE', `/api/system/keys/${id}`)).toBe(404);
  await pruneMadeKeys(deps.db, clock + 9 * hourMs);
  expect(await statusOf(headers)).toBe(401);
});
