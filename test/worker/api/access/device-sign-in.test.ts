/** Sign-in of a command line by a member's browser: what the code and the device token open, whose rights the session has, and what ends it. */
import { describe, expect, test } from 'vitest';
import {
  deviceSessionDays,
  deviceSessionIdleDays,
  deviceTokenMinutes,
  waitingDevicesMax,
} from '../../../../worker/domain/access/devices.ts';
import { memberRoles } from '../../../../worker/domain/access/members.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import {
  createClient,
  deps,
  fromNewAddress,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
let clock = Date.now();
const testDeps = { ...deps, now: () => clock };
const call = createClient({ dependenciesOf: () => testDeps });

const device = { name: 'ada-laptop', version: '0.3.0' };
const start = async (headers = fromNewAddress()) =>
  (await call('POST', '/api/sign-in/device', { body: device, headers })).body;
const exchange = (deviceToken: string) =>
  call('POST', '/api/sign-in/device/exchange', { body: { deviceToken }, headers: fromNewAddress() });
const decide = (what: 'find' | 'allow' | 'deny', userCode: string, token: string) =>
  call('POST', `/api/sign-in/device/${what}`, { body: { userCode }, token, headers: fromNewAddress() });

/** Signs a command line in. */
async function signIn(member: { token: string }) {
  const { deviceToken, userCode } = await start();
  const allowed = await decide('allow', userCode, member.token);
  expect([allowed.status, allowed.body.error]).toEqual([200, undefined]);
  const { status, body } = await exchange(deviceToken);
  expect([status, body.state]).toEqual([200, 'signed-in']);
  return { ...body, deviceCode: deviceToken };
}

const statusOf = async (token: string, path = '/api/key') => (await call('GET', path, { token })).status;

describe('a code', () => {
  test('signs a command line in as the member who allows it, after the member saw which one asks', async () => {
    const member = await insertMember({ role: 'developer' });
    const { deviceToken, userCode, path } = await start({ 'cf-connecting-ip': '203.0.113.7' });
    expect([path, userCode]).toEqual(['/device', expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/)]);
    expect((await exchange(deviceToken)).body).toEqual({ state: 'waiting', intervalSeconds: 5 });
    const { body: seen } = await decide(
      'find',
      ` ${userCode.toLowerCase().replace('-', ' ')} `,
      member.token,
    );
    expect(seen.device).toMatchObject({ ...device, address: '203.0.113.7' });
    expect((await decide('allow', userCode, member.token)).status).toBe(200);
    const { body } = await exchange(deviceToken);
    const { key } = (await call('GET', '/api/key', { token: body.token })).body;
    expect(key).toMatchObject({ id: body.sessionId, name: device.name, access: 'write', madeBy: member.id });
    expect(key.member).toMatchObject({ id: member.id, role: 'developer' });
  });

  test.each(memberRoles)(
    'gives a %s the rights of that role, and nothing that changes who has access',
    async (role) => {
      const member = await insertMember({ role });
      const { token } = await signIn(member);
      const { access } = (await call('GET', '/api/key', { token: member.token })).body.key;
      expect((await call('GET', '/api/key', { token })).body.key.access).toBe(access);
      for (const [method, asked] of [
        ['GET', '/api/members'],
        ['POST', '/api/members'],
        ['GET', '/api/passkeys'],
        ['GET', '/api/identities'],
        ['POST', '/api/sign-in/device/allow'],
        ['DELETE', '/api/membership'],
        ['POST', '/api/sessions'],
        ['POST', '/api/sign-in-links'],
        ['GET', '/api/system/keys'],
      ] as const) {
        const body = method === 'POST' ? { name: 'x', expiresInMinutes: 5, userCode: 'WDJBMJHT' } : undefined;
        expect([asked, (await call(method, asked, { token, body })).status]).toEqual([asked, 403]);
      }
    },
  );

  test('opens nothing when it is wrong, used, denied or expired, and all of these are answered alike', async () => {
    const member = await insertMember();
    const [used, denied, expired] = [await start(), await start(), await start()];
    await decide('allow', used.userCode, member.token);
    expect((await decide('deny', denied.userCode, member.token)).status).toBe(200);
    expect((await exchange(denied.deviceToken)).body).toMatchObject({
      code: 'forbidden',
      error: 'The sign-in was denied in the browser.',
    });
    clock += 10 * minuteMs;
    const fresh = await insertMember();
    expect((await exchange(expired.deviceToken)).body.error).toMatch(/expired: start again/);
    const codes = ['BBBB-BBBB', used.userCode, denied.userCode, expired.userCode];
    const replies = [];
    for (const code of codes)
      for (const what of ['find', 'allow', 'deny'] as const)
        replies.push(await decide(what, code, fresh.token));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
    expect(new Set(replies.map(({ body }) => body.error)).size).toBe(1);
  });

  test('that is no code is refused with the name of the field', async () => {
    const { token } = await insertMember();
    for (const code of ['', 'WDJB', 'WDJB-MJHA', 'WDJB-MJHT-X', '1234-5678', 'ẞDJB-MJHT'])
      expect((await decide('find', code, token)).body).toMatchObject({
        code: 'invalid_request',
        error: expect.stringContaining('"userCode"'),
      });
  });

  test('is allowed only by a browser of a member: not by a key, its session, a link or nobody', async () => {
    const { userCode, deviceToken } = await start();
    const key = await insertKey({ access: 'destroy' });
    const session = await insertKey({
      access: 'destroy',
      kind: 'session',
      madeBy: key.id,
      expiresAt: clock + dayMs,
    });
    const proof = await deps.fingerprint('session', session.id);
    const command = await signIn(await insertMember());
    for (const token of [key.token, `session ${session.token} ${proof}`, command.token])
      expect((await decide('allow', userCode, token)).status).toBe(403);
    expect((await decide('allow', userCode, operatorToken)).status).toBe(401);
    expect((await call('POST', '/api/sign-in/device/allow', { body: { userCode } })).status).toBe(401);
    expect((await exchange(deviceToken)).body.state).toBe('waiting');
  });

  test('is allowed once: of two members who allow it at the same time, one signs the device in', async () => {
    const [ada, grace] = [
      await insertMember(),
      await insertMember({ tenantId: await insertTenant('of grace') }),
    ];
    const { userCode, deviceToken } = await start();
    const replies = await Promise.all([ada, grace].map(({ token }) => decide('allow', userCode, token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
    const winner = replies[0]?.status === 200 ? ada : grace;
    const loser = winner === ada ? grace : ada;
    const { token } = (await exchange(deviceToken)).body;
    expect((await call('GET', '/api/key', { token })).body.key.madeBy).toBe(winner.id);
    const { sessions } = (await call('GET', '/api/sessions', { token: loser.token })).body;
    expect(sessions.filter(({ kind }: { kind: string }) => kind === 'command-line')).toEqual([]);
  });

  test('waits only with a limited number of others, by address', async () => {
    const { token } = await insertMember();
    const headers = { 'cf-connecting-ip': '198.51.100.9' };
    const first = await start(headers);
    for (let one = 1; one < waitingDevicesMax.ofAddress; one++) await start(headers);
    clock += minuteMs;
    const refused = await call('POST', '/api/sign-in/device', { body: device, headers });
    expect([refused.status, refused.body.error]).toEqual([
      429,
      expect.stringMatching(/Too many command lines/),
    ]);
    expect(
      (await call('POST', '/api/sign-in/device', { body: device, headers: fromNewAddress() })).status,
    ).toBe(200);
    await decide('deny', first.userCode, token);
    expect((await call('POST', '/api/sign-in/device', { body: device, headers })).status).toBe(200);
  });

  test('can be guessed only a few times in a minute', async () => {
    const { token } = await insertMember();
    const headers = { 'cf-connecting-ip': '198.51.100.10' };
    const guess = async () =>
      (await call('POST', '/api/sign-in/device/find', { body: { userCode: 'WDJBMJHT' }, token, headers }))
        .status;
    const statuses = [];
    for (let one = 0; one < 31; one++) statuses.push(await guess());
    expect([statuses[29], statuses[30]]).toEqual([404, 429]);
  });

  test('and its device token are stored as hashes only, and not longer than they wait', async () => {
    const { userCode, deviceToken } = await start();
    const rows = async () => JSON.stringify(await deps.db.all('select * from device_tokens'));
    const stored = await rows();
    const [, id = '', secret = ''] = deviceToken.split('_');
    expect(stored).toContain(id);
    for (const secretText of [secret.slice(0, 43), userCode, userCode.replace('-', '')])
      expect(stored).not.toContain(secretText);
    clock += 11 * minuteMs;
    await pruneRecords(testDeps);
    expect(await rows()).not.toContain(id);
  });
});

describe('a waiting device', () => {
  test('that asks more often than the interval is told to wait, and is not answered before', async () => {
    const { deviceToken } = await start();
    expect((await exchange(deviceToken)).status).toBe(200);
    const early = await exchange(deviceToken);
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '5']);
    clock += 5_000;
    expect((await exchange(deviceToken)).status).toBe(200);
  });

  test('gets nothing for a token that is unknown, damaged or of another kind', async () => {
    const { deviceToken } = await start();
    const key = await insertKey();
    const other = `${deviceToken.slice(0, 4)}00000000${deviceToken.slice(12)}`;
    for (const token of ['', 'x', other, key.token, deviceToken.slice(0, -1)])
      expect((await exchange(token)).status).toBe(401);
    for (const path of ['/api/key', '/api/projects', '/api/sign-in-link'])
      expect(await statusOf(deviceToken, path)).toBe(401);
  });

  test('is not signed in when its member is removed between the permission and its next question', async () => {
    const [owner, member] = [await insertMember(), await insertMember({ role: 'viewer' })];
    const { userCode, deviceToken } = await start();
    await decide('allow', userCode, member.token);
    await call('DELETE', `/api/members/${member.id}`, { token: owner.token });
    expect((await exchange(deviceToken)).status).toBe(401);
  });
});

describe('the token', () => {
  test('is a Bearer token only, and the token of a browser is a cookie only', async () => {
    const member = await insertMember();
    const { token, sessionId } = await signIn(member);
    const proof = await deps.fingerprint('session', sessionId);
    const cookie = `longshore-session-80=${token}`;
    for (const headers of [{ cookie }, { cookie, 'x-longshore-session': proof, host: 'localhost' }])
      expect((await call('GET', '/api/key', { headers })).status).toBe(401);
    expect(await statusOf(`session ${token} ${proof}`)).toBe(401);
    const [, ofBrowser = ''] = member.token.split(' ');
    expect(await statusOf(ofBrowser)).toBe(401);
  });

  test('ends after an hour, and a renewal replaces it: the session stays the same', async () => {
    const { token, deviceToken, sessionId, expiresInSeconds } = await signIn(await insertMember());
    expect(expiresInSeconds).toBe(deviceTokenMinutes * 60);
    clock += deviceTokenMinutes * minuteMs;
    expect(await statusOf(token)).toBe(401);
    const { body } = await exchange(deviceToken);
    expect(body.sessionId).toBe(sessionId);
    expect([await statusOf(token), await statusOf(body.token)]).toEqual([401, 200]);
  });

  test('has the role that the member has at each request, also in single projects', async () => {
    const [owner, project] = [await insertMember(), await insertProject()];
    const member = await insertMember({ role: 'viewer' });
    const { token } = await signIn(member);
    const rename = async () =>
      (await call('PATCH', `/api/projects/${project.id}`, { token, body: { name: 'renamed' } })).status;
    const change = (body: object) => call('PATCH', `/api/members/${member.id}`, { token: owner.token, body });
    expect(await rename()).toBe(403);
    await change({ projectRoles: [{ projectId: project.id, role: 'developer' }] });
    expect(await rename()).toBe(200);
    await change({ role: 'developer', projectRoles: [{ projectId: project.id, role: 'viewer' }] });
    expect(await rename()).toBe(403);
    await change({ projects: [], projectRoles: [] });
    await change({ projects: [(await insertProject()).id], projectRoles: [] });
    expect(await rename()).toBe(404);
  });

  test('sees nothing of another tenant', async () => {
    const project = await insertProject();
    const { token } = await signIn(await insertMember({ tenantId: await insertTenant('of a device') }));
    expect(await statusOf(token, `/api/projects/${project.slug}`)).toBe(404);
    expect((await call('GET', '/api/projects', { token })).body.projects).toEqual([]);
  });

  test('names the member in the audit log', async () => {
    const [owner, project] = [await insertMember(), await insertProject()];
    const { token, sessionId } = await signIn(owner);
    await call('PATCH', `/api/projects/${project.id}`, { token, body: { name: 'renamed' } });
    const entries = async () =>
      (await call('GET', `/api/audit?actor=${owner.id}`, { token: owner.token })).body.entries;
    await expect
      .poll(entries)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ actor: sessionId, resourceId: project.id }),
          expect.objectContaining({ route: 'POST /api/sign-in/device/allow', resourceId: sessionId }),
        ]),
      );
  });
});

describe('a renewal', () => {
  test('that is repeated gives new tokens, because its answer may have been lost, and withdraws the lost ones', async () => {
    const { deviceCode, deviceToken, token } = await signIn(await insertMember());
    clock += 60 * minuteMs;
    const repeated = (await exchange(deviceCode)).body;
    expect([await statusOf(token), await statusOf(repeated.token)]).toEqual([401, 200]);
    // Whoever has the lost answer reveals the copy by using it.
    expect((await exchange(deviceToken)).status).toBe(401);
    expect([await statusOf(repeated.token), (await exchange(repeated.deviceToken)).status]).toEqual([
      401, 401,
    ]);
  });

  test.each([1, 2, 5])(
    'with a device token of %i renewals ago ends the session, and the keys that the member has made since',
    async (renewals) => {
      const owner = await insertMember();
      const wanted = { body: { name: 'ci', expiresInDays: 1 }, token: owner.token };
      const before = (await call('POST', '/api/keys', wanted)).body.token;
      clock += 1_000;
      const { deviceToken: copied, sessionId } = await signIn(owner);
      let latest = (await exchange(copied)).body;
      for (let done = 0; done < renewals; done++) latest = (await exchange(latest.deviceToken)).body;
      const since = (await call('POST', '/api/keys', { ...wanted, token: latest.token })).body.token;
      const reply = await exchange(copied);
      expect([await statusOf(before), await statusOf(since)]).toEqual([200, 401]);
      expect([reply.status, reply.body.error]).toEqual([
        401,
        expect.stringMatching(/somebody may have a copy/),
      ]);
      expect([await statusOf(latest.token), (await exchange(latest.deviceToken)).status]).toEqual([401, 401]);
      await expect
        .poll(async () => (await call('GET', `/api/audit?status=401`, { token: owner.token })).body.entries)
        .toEqual(expect.arrayContaining([expect.objectContaining({ actor: sessionId, status: 401 })]));
    },
  );

  test('by two processes at the same time leaves one device token that works', async () => {
    const { deviceToken } = await signIn(await insertMember());
    const replies = await Promise.all([exchange(deviceToken), exchange(deviceToken)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const statuses = [];
    for (const { body } of replies) statuses.push(await statusOf(body.token));
    expect(statuses.sort()).toEqual([200, 401]);
  });

  test('is refused after two weeks without use, and three months after the sign-in', async () => {
    const idle = await signIn(await insertMember());
    const busy = await signIn(await insertMember());
    const from = clock;
    let { deviceToken } = busy;
    clock = from + deviceSessionIdleDays * dayMs;
    expect((await exchange(idle.deviceToken)).status).toBe(401);
    clock = from;
    for (let day = 10; day < deviceSessionDays; day += 10) {
      clock = from + day * dayMs;
      ({ deviceToken } = (await exchange(deviceToken)).body);
    }
    clock = from + deviceSessionDays * dayMs;
    expect((await exchange(deviceToken)).status).toBe(401);
    clock = from;
  });
});

describe('the session', () => {
  test('is listed with its device for its member, on the command line and in the browser, and either can end it', async () => {
    const member = await insertMember({ role: 'viewer' });
    const one = await signIn(member);
    clock += 1_000;
    const other = await signIn(member);
    for (const token of [member.token, one.token]) {
      const { sessions } = (await call('GET', '/api/sessions', { token })).body;
      expect(sessions).toMatchObject([
        { kind: 'browser' },
        { id: one.sessionId, kind: 'command-line', name: device.name, isCurrent: token === one.token },
        { id: other.sessionId, kind: 'command-line' },
      ]);
    }
    const stranger = await insertMember();
    const end = async (id: string, token: string) =>
      (await call('DELETE', `/api/sessions/${id}`, { token })).status;
    expect(await end(one.sessionId, stranger.token)).toBe(404);
    expect(await end(other.sessionId, member.token)).toBe(200);
    expect([await statusOf(other.token), (await exchange(other.deviceToken)).status]).toEqual([401, 401]);
    expect(await end(one.sessionId, one.token)).toBe(200);
    expect([await statusOf(one.token), (await exchange(one.deviceToken)).status]).toEqual([401, 401]);
  });

  test('ends with the membership, whether an owner removes the member or the member leaves', async () => {
    const owner = await insertMember();
    const [removed, leaving] = [
      await insertMember({ role: 'viewer' }),
      await insertMember({ role: 'viewer' }),
    ];
    const sessions = [await signIn(removed), await signIn(leaving)];
    expect((await call('DELETE', `/api/members/${removed.id}`, { token: owner.token })).status).toBe(200);
    expect((await call('DELETE', '/api/membership', { token: leaving.token })).status).toBe(200);
    for (const { token, deviceToken } of sessions)
      expect([await statusOf(token), (await exchange(deviceToken)).status]).toEqual([401, 401]);
  });

  test('can be ended by the operator, and counts as a use of the member', async () => {
    const member = await insertMember();
    const { token, sessionId } = await signIn(member);
    clock += 20 * minuteMs;
    expect(await statusOf(token)).toBe(200);
    const lastUsedAt = async () =>
      (await call('GET', '/api/members?limit=500', { token: member.token })).body.members.find(
        ({ id }: { id: string }) => id === member.id,
      ).lastUsedAt;
    await expect.poll(lastUsedAt).not.toBeNull();
    const reply = await call('DELETE', `/api/system/sessions/${sessionId}`, { token: operatorToken });
    expect([reply.status, await statusOf(token)]).toEqual([200, 401]);
  });

  test('that was allowed in a browser opened by the link of another member ends with that member', async () => {
    const [owner, maker] = [await insertMember(), await insertMember()];
    const member = await insertMember({ role: 'developer' });
    const { link } = (await call('POST', `/api/members/${member.id}/links`, { token: maker.token })).body;
    const code = link.path.replace('/sign-in#', '');
    const opened = await call('POST', '/api/sessions', { token: code, body: { name: 'Firefox' } });
    const cookie = /=([^;]*)/.exec(opened.headers.get('set-cookie') ?? '')?.[1];
    const { token } = await signIn({ token: `session ${cookie} ${opened.body.proof}` });
    expect(await statusOf(token)).toBe(200);
    await call('PATCH', `/api/members/${maker.id}`, { token: owner.token, body: { role: 'viewer' } });
    expect(await statusOf(token)).toBe(401);
  });
});
