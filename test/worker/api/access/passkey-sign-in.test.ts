/** Sign-ins by a passkey: whom they sign in, and which answers of devices are refused. */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { deps, insertProject, insertTenant, type Json } from '../../../support/worker/api.ts';
import { Authenticator, type Wrong } from '../../../support/worker/authenticator.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { here, startPasskeys } from '../../../support/worker/passkeys.ts';

const { clock, call, added, challenge, finish, signIn, keyOf, remove } = startPasskeys();
const minuteMs = 60_000;
let count = 0;
const aTenant = () => {
  count += 1;
  return insertTenant(`passkey-sign-in-${count}`);
};
const prepared = async (fields: object = {}) => {
  const member = await insertMember({ tenantId: await aTenant(), role: 'deployer', ...fields });
  return { member, ...(await added(member.token)) };
};

describe('a passkey', () => {
  test('opens a session with the rights that its member has then', async () => {
    const tenantId = await aTenant();
    const project = await insertProject({ tenantId });
    const owner = await insertMember({ tenantId });
    const { member, device } = await prepared({ tenantId });
    const body = { role: 'viewer', projects: [project.id] };
    await call('PATCH', `/api/members/${member.id}`, { token: owner.token, body });
    const key = await keyOf(await signIn(device));
    expect(key).toMatchObject({ access: 'read', projects: [project.id], member: { id: member.id } });
  });

  test('of a removed member opens nothing, and neither does a code that it has got before', async () => {
    const tenantId = await aTenant();
    const owner = await insertMember({ tenantId });
    const { member, device } = await prepared({ tenantId });
    const { code } = (await signIn(device)).body;
    expect((await call('DELETE', `/api/members/${member.id}`, { token: owner.token })).status).toBe(200);
    expect((await call('POST', '/api/sessions', { token: code, body: {} })).status).toBe(401);
    const late = await signIn(device);
    expect([late.status, late.body.error]).toEqual([401, expect.stringContaining('not known here')]);
  });

  test('of one tenant never opens another, although the devices are at the same name', async () => {
    const [one, other] = [await prepared(), await prepared()];
    expect((await keyOf(await signIn(one.device))).member.id).toBe(one.member.id);
    const stolen = await signIn(one.device, { userHandle: other.device.userHandle });
    expect(stolen.status).toBe(401);
    expect((await signIn(one.device, { id: other.device.credentialId })).status).toBe(401);
  });

  test('that is synced does not count, and signs in again and again', async () => {
    const { member } = await prepared();
    const device = await Authenticator.create();
    device.counts = false;
    await added(member.token, device);
    for (const _ of [1, 2]) expect((await signIn(device)).status).toBe(200);
  });

  test('whose counter stays or goes back is refused, and the audit log tells it', async () => {
    const { device, passkey } = await prepared();
    expect((await signIn(device, { counter: 7 })).status).toBe(200);
    for (const counter of [7, 6, 0]) {
      const refused = await signIn(device, { counter });
      expect([refused.status, refused.body.error]).toEqual([401, expect.stringContaining('a copy of it')]);
    }
    expect((await signIn(device, { counter: 8 })).status).toBe(200);
    const entries = await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, passkey.id));
    const uses = entries.filter(({ route }) => route === 'POST /api/sign-in/passkey/finish');
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 200, 401, 401, 401]);
  });

  test('is in the audit log when it is added, used and removed', async () => {
    const { member, device, passkey } = await prepared();
    await signIn(device);
    await remove(member.token, passkey.id);
    const entries = await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, passkey.id));
    expect(entries.map(({ route, actor }) => [route, actor])).toEqual([
      ['POST /api/passkeys', member.sessionId],
      ['POST /api/sign-in/passkey/finish', member.id],
      ['DELETE /api/passkeys/:passkeyId', member.sessionId],
    ]);
  });
});

test.each<[string, Wrong, string]>([
  ['by a page of another origin', { origin: 'https://evil.example' }, 'at another address'],
  ['on another port of the host', { origin: 'https://longshore.test:3000' }, 'at another address'],
  ['in a frame', { crossOrigin: true }, 'in a frame'],
  ['to add a passkey', { type: 'webauthn.create' }, 'for something else'],
  ['for another name', { rpId: 'evil.example' }, 'belongs to another address'],
  ['for a challenge of its own', { challenge: 'AAAA' }, 'was not made here'],
  ['without verifying the person', { without: ['UV'] }, 'has not verified you'],
  ['without a person', { without: ['UP', 'UV'] }, 'is not valid'],
  ['and changed afterwards', { tamper: true }, 'signature is wrong'],
  ['by another kind of device', { canSync: true }, 'another kind of device'],
  ['by an unknown passkey', { id: 'AAAA' }, 'not known here'],
  ['for another member', { userHandle: 'bWVtX290aGVy' }, 'not known here'],
])('an answer that was signed %s is refused (401)', async (_, wrong, reason) => {
  const { device } = await prepared();
  const refused = await signIn(device, wrong);
  expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);
  expect(refused.body.error).toContain(reason);
  expect((await signIn(device)).status).toBe(200);
});

test('an answer of another device under the id of this one is refused', async () => {
  const { device, member } = await prepared();
  const thief = await Authenticator.create();
  thief.userHandle = device.userHandle;
  thief.counter = 100;
  const refused = await signIn(thief, { id: device.credentialId });
  expect([refused.status, refused.body.error]).toEqual([401, expect.stringContaining('signature is wrong')]);
  expect((await keyOf(await signIn(device))).member.id).toBe(member.id);
});

describe('an answer', () => {
  const answered = async () => {
    const { device } = await prepared();
    device.counts = false;
    return { device, credential: await device.sign(await challenge(), here, { canSync: false }) };
  };

  test('signs in once, also when it arrives twice at the same time', async () => {
    const { credential } = await answered();
    const replies = await Promise.all([finish(credential), finish(credential)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
    const again = await finish(credential);
    expect([again.status, again.body.error]).toEqual([401, 'This sign-in was used already: start again.']);
  });

  test('of a challenge that another answer has used is refused', async () => {
    const { device } = await answered();
    const asked = await challenge();
    expect((await finish(await device.sign(asked, here, { canSync: false }))).status).toBe(200);
    expect((await finish(await device.sign(asked, here, { canSync: false }))).status).toBe(401);
  });

  test('ends after five minutes', async () => {
    const { credential } = await answered();
    clock.now += 5 * minuteMs;
    expect((await finish(credential)).body.error).toContain('more than 5 minutes ago');
  });

  test('with a challenge whose end was put off is refused', async () => {
    const { device } = await prepared();
    const { challenge: own } = await challenge();
    const [secret, end, mark] = atob(own.replaceAll('-', '+').replaceAll('_', '/')).split('.');
    const later = btoa(`${secret}.${Number(end) + 60 * minuteMs}.${mark}`).replaceAll('=', '');
    expect((await signIn(device, { challenge: later })).body.error).toContain('was not made here');
  });

  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another port', { 'sec-fetch-site': 'same-site', origin: 'https://longshore.test:8443' }],
    ['of another origin', { origin: 'https://evil.example' }],
  ])('is not taken from a page %s (403)', async (_, headers) => {
    const { credential } = await answered();
    expect((await finish(credential, headers)).status).toBe(403);
    expect((await call('POST', '/api/sign-in/passkey', { headers })).status).toBe(403);
  });

  test('that is incomplete is refused by the name of its field', async () => {
    const { credential } = await answered();
    const { signature: _, ...response } = credential.response;
    const wrong: [Json, string][] = [
      [{ ...credential, response }, 'credential.response.signature'],
      [{ ...credential, id: 'a b' }, 'credential.id'],
      [{ ...credential, type: 'password' }, 'credential.type'],
      [null, 'credential'],
    ];
    for (const [sent, field] of wrong) {
      const refused = await finish(sent);
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(field)]);
    }
  });

  test('that nobody has finished has written nothing', async () => {
    const counted = () => deps.db.all('select count(*) as count from used_sign_ins');
    const before = await counted();
    await challenge();
    expect(await counted()).toEqual(before);
  });
});

test('the sign-in page learns whether passkeys work at its address', async () => {
  await prepared();
  const ways = async (headers: Record<string, string> = {}) =>
    (await call('GET', '/api/sign-in', { headers })).body.passkeys;
  expect(await ways()).toBe('here');
  expect(await ways({ origin: 'http://127.0.0.1:4000' })).toBe('elsewhere');
});
