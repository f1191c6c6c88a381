/** Sessions of browsers: what opens one, what it needs beside its cookie, whose rights it has, and what ends it. */
import { describe, expect, test } from 'vitest';
import { sessionsMax } from '../../../../worker/domain/access/key-levels.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';

const dayMs = 86_400_000;
let clock = Date.now();
const call = createClient({ dependenciesOf: () => ({ ...deps, now: () => clock }) });

interface Session {
  id: string;
  headers: Record<string, string>;
  setCookie: string;
}

/** Signs in as a browser does: the key is sent once. @param credential a key or a link's code */
async function signIn(credential: string, headers: Record<string, string> = {}): Promise<Session> {
  const reply = await call('POST', '/api/sessions', {
    token: credential,
    body: { name: 'Firefox' },
    headers,
  });
  expect([reply.status, reply.body.error]).toEqual([200, undefined]);
  const setCookie = reply.headers.get('set-cookie') ?? '';
  const cookie = setCookie.split(';')[0] ?? '';
  return {
    id: reply.body.session.id,
    headers: { cookie, 'x-longshore-session': reply.body.proof },
    setCookie,
  };
}

const statusOf = async (headers: Record<string, string>, method = 'GET', path = '/api/projects') =>
  (await call(method, path, { headers })).status;
const linkOf = async (token: string): Promise<string> => {
  const { body } = await call('POST', '/api/sign-in-links', { token });
  return body.link.path.replace('/sign-in#', '');
};

test('a key opens a session that acts with its rights and has none of its own', async () => {
  const [seen, other] = [await insertProject(), await insertProject()];
  const { token, id } = await insertKey({ access: 'deploy', projects: [seen.id] });
  const { headers, id: sessionId } = await signIn(token);
  const { body } = await call('GET', '/api/key', { headers });
  expect(body.key).toMatchObject({ id: sessionId, access: 'deploy', projects: [seen.id], madeBy: id });
  expect(await statusOf(headers, 'GET', `/api/projects/${seen.slug}`)).toBe(200);
  expect(await statusOf(headers, 'GET', `/api/projects/${other.slug}`)).toBe(404);
  const patch = await call('PATCH', `/api/projects/${seen.id}`, { headers, body: { name: 'x' } });
  expect(patch.body.code).toBe('forbidden');
  for (const path of ['/api/keys', '/api/sessions', '/api/sign-in-links'])
    expect((await call('POST', path, { headers, body: {} })).status).toBe(403);
  expect((await call('GET', '/api/system/keys', { headers })).status).toBe(403);
});

test('the use of a session is a use of the key that signed in', async () => {
  const { token, id } = await insertKey();
  const { headers } = await signIn(token);
  const lastUsedAt = async () => {
    const { keys } = (await call('GET', '/api/system/keys?limit=200', { token: operatorToken })).body;
    return Date.parse(keys.find((key: { id: string }) => key.id === id).lastUsedAt);
  };
  const start = clock;
  clock = start + 3_600_000;
  expect(await statusOf(headers)).toBe(200);
  await expect.poll(lastUsedAt).toBeGreaterThan(start + 3_500_000);
  clock = start;
});

test('a key that may only read can sign in and out, and a short-lived key can not sign in', async () => {
  const reader = await insertKey({ access: 'read' });
  const { headers, id } = await signIn(reader.token);
  expect(await statusOf(headers, 'DELETE', `/api/sessions/${id}`)).toBe(200);
  expect(await statusOf(headers)).toBe(401);
  const made = await insertKey({ madeBy: reader.id, expiresAt: clock + dayMs });
  expect((await call('POST', '/api/sessions', { token: made.token, body: {} })).body.code).toBe('forbidden');
});

describe('the cookie', () => {
  test('is HttpOnly and SameSite=Strict, over https also Secure with the prefix that binds it to the host', async () => {
    const { token } = await insertKey();
    const plain = await signIn(token, { origin: 'http://127.0.0.1:8787', host: '127.0.0.1:8787' });
    expect(plain.setCookie).toMatch(
      /^longshore-session-8787=lsk_\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    const secure = await signIn(token, { origin: 'https://longshore.test', host: 'longshore.test' });
    expect(secure.setCookie).toMatch(/^__Host-longshore-session=.*; SameSite=Strict; Max-Age=\d+; Secure$/);
  });

  test('is not enough: without the proof, with another one, or from another origin it opens nothing', async () => {
    const { token } = await insertKey();
    const [{ headers }, other] = [await signIn(token), await signIn(token)];
    expect(await statusOf(headers)).toBe(200);
    const { cookie = '', 'x-longshore-session': proof = '' } = headers;
    const refused: Record<string, string>[] = [
      { cookie },
      { 'x-longshore-session': proof },
      { cookie, 'x-longshore-session': '' },
      { cookie, 'x-longshore-session': other.headers['x-longshore-session'] ?? '' },
      { ...headers, origin: 'https://evil.test' },
      { ...headers, origin: 'null' },
      { ...headers, 'sec-fetch-site': 'cross-site' },
      // An app on another port of this machine: the same site, and another origin.
      { ...headers, 'sec-fetch-site': 'same-site' },
      { ...headers, origin: 'https://longshore.test:8443', host: 'longshore.test' },
    ];
    for (const method of ['GET', 'POST'])
      expect(await Promise.all(refused.map((one) => statusOf(one, method)))).toEqual(refused.map(() => 401));
    expect(await statusOf({ ...headers, origin: 'https://longshore.test', host: 'longshore.test' })).toBe(
      200,
    );
  });

  test('holds a token that is no key: a Bearer header with it is 401', async () => {
    const { headers } = await signIn((await insertKey()).token);
    const token = headers.cookie?.split('=')[1] ?? '';
    expect((await call('GET', '/api/projects', { token })).status).toBe(401);
  });

  test('is not set for a page of another origin, whatever key it has', async () => {
    const { token } = await insertKey();
    const reply = await call('POST', '/api/sessions', {
      token,
      body: {},
      headers: { origin: 'https://evil.test' },
    });
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([403, null]);
  });
});

describe('a session ends', () => {
  test('with its key: when it is revoked, rotated or expires', async () => {
    const system = (method: string, path: string, body?: unknown) =>
      call(method, `/api/system/keys/${path}`, { token: operatorToken, ...(body ? { body } : {}) });
    const [revoked, rotated] = [await insertKey(), await insertKey()];
    const expiring = await insertKey({ expiresAt: clock + 60_000 });
    const [one, two, three] = [
      await signIn(revoked.token),
      await signIn(rotated.token),
      await signIn(expiring.token),
    ];
    await system('DELETE', revoked.id);
    await system('POST', `${rotated.id}/rotate`, {});
    expect([await statusOf(one.headers), await statusOf(two.headers)]).toEqual([401, 401]);
    expect(await statusOf(three.headers)).toBe(200);
    clock += 61_000;
    expect(await statusOf(three.headers)).toBe(401);
  });

  test('after 14 days, and when another session of the key or the operator ends it', async () => {
    const { token } = await insertKey();
    const signInLater = () => {
      clock += 1;
      return signIn(token);
    };
    const [old, other, last] = [await signInLater(), await signInLater(), await signInLater()];
    const { sessions } = (await call('GET', '/api/sessions', { headers: last.headers })).body;
    expect(sessions.map(({ id, isCurrent }: { id: string; isCurrent: boolean }) => [id, isCurrent])).toEqual([
      [old.id, false],
      [other.id, false],
      [last.id, true],
    ]);
    expect(await statusOf(last.headers, 'DELETE', `/api/sessions/${old.id}`)).toBe(200);
    const ended = await call('DELETE', `/api/system/sessions/${other.id}`, { token: operatorToken });
    expect([ended.status, await statusOf(old.headers), await statusOf(other.headers)]).toEqual([
      200, 401, 401,
    ]);
    clock += 15 * dayMs;
    expect(await statusOf(last.headers)).toBe(401);
  });

  test('when too many newer ones were opened, the oldest first', { tags: 'slow' }, async () => {
    const { token } = await insertKey();
    // All at the same millisecond: the order of their rows decides.
    const first = await signIn(token);
    const second = await signIn(token);
    for (let n = 2; n < sessionsMax; n++) await signIn(token);
    expect(await statusOf(first.headers)).toBe(200);
    clock += 1;
    await signIn(token);
    expect(await statusOf(second.headers)).toBe(200);
    expect(await statusOf(first.headers)).toBe(401);
  });
});

test('another key of the tenant, and another tenant, see and end no session that is not theirs', async () => {
  const { id } = await signIn((await insertKey()).token);
  const strangers = [await insertKey(), await insertKey({ tenantId: await insertTenant('sessions') })];
  for (const { token } of strangers) {
    expect((await call('GET', '/api/sessions', { token })).body).toEqual({ sessions: [], links: [] });
    expect((await call('DELETE', `/api/sessions/${id}`, { token })).status).toBe(404);
  }
});

test('the audit log names the key behind each session, opened by the key or by its link', async () => {
  const { token, id } = await insertKey();
  const opened = [await signIn(token), await signIn(await linkOf(token))];
  const read = async () => {
    const { body } = await call('GET', `/api/system/audit?actor=${id}`, { token: operatorToken });
    return body.entries
      .filter((entry: { route: string }) => entry.route === 'POST /api/sessions')
      .map((entry: { resourceId: string }) => entry.resourceId)
      .sort();
  };
  await expect.poll(read).toEqual(opened.map((session) => session.id).sort());
});

test('sessions and links are in no list of keys, and can not be rotated', async () => {
  const { token, id } = await insertKey();
  const session = await signIn(token);
  await linkOf(token);
  expect((await call('GET', '/api/keys', { token })).body.keys).toEqual([]);
  const all = await call('GET', '/api/system/keys', { token: operatorToken });
  expect(all.body.keys.filter(({ madeBy }: { madeBy?: string }) => madeBy === id)).toEqual([]);
  const rotate = `/api/system/keys/${session.id}/rotate`;
  expect((await call('POST', rotate, { token: operatorToken, body: {} })).status).toBe(404);
});

describe('a sign-in link', () => {
  test('opens one session with the rights of its key, and only once, also if two use it at the same time', async () => {
    const { token, id } = await insertKey({ access: 'destroy' });
    const code = await linkOf(token);
    const both = await Promise.all(
      [1, 2].map(() => call('POST', '/api/sessions', { token: code, body: {} })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    const opened = both.find(({ status }) => status === 200)?.body.session;
    expect(opened).toMatchObject({ access: 'destroy', keyId: id });
    expect((await call('POST', '/api/sessions', { token: code, body: {} })).status).toBe(401);
  });

  test('opens nothing else, nothing after 15 minutes, and nothing once its key is revoked', async () => {
    const { token, id } = await insertKey();
    const [code, late, orphan] = [await linkOf(token), await linkOf(token), await linkOf(token)];
    expect((await call('GET', '/api/projects', { token: code })).status).toBe(401);
    expect((await call('POST', '/api/sign-in-links', { token: code })).status).toBe(401);
    const { headers } = await signIn(code);
    clock += 16 * 60_000;
    expect((await call('POST', '/api/sessions', { token: late, body: {} })).status).toBe(401);
    clock -= 16 * 60_000;
    await call('DELETE', `/api/system/keys/${id}`, { token: operatorToken });
    expect((await call('POST', '/api/sessions', { token: orphan, body: {} })).status).toBe(401);
    expect(await statusOf(headers)).toBe(401);
  });

  test('of a key that expires makes no session that outlives the key', async () => {
    const { token } = await insertKey({ expiresAt: clock + 3_600_000 });
    const code = await linkOf(token);
    const { body } = await call('POST', '/api/sessions', { token: code, body: {} });
    expect(Date.parse(body.session.expiresAt)).toBe(clock + 3_600_000);
  });
});
