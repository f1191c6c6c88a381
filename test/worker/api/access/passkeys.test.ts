/** Passkeys of members: adding, listing, renaming and removing them. */
import { describe, expect, test } from 'vitest';
import { passkeysMax } from '../../../../worker/domain/access/passkeys.ts';
import { passkeys } from '../../../../worker/store/schema/api-keys.ts';
import { deps, insertKey, insertTenant } from '../../../support/worker/api.ts';
import { Authenticator, type Wrong } from '../../../support/worker/authenticator.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { here, startPasskeys } from '../../../support/worker/passkeys.ts';

const { clock, call, options, add, added, signIn, list, remove, keyOf } = startPasskeys();
const minuteMs = 60_000;
let count = 0;
const aMember = async (fields: object = {}) => {
  count += 1;
  return insertMember({ tenantId: await insertTenant(`passkeys-${count}`), role: 'deployer', ...fields });
};

test('a member adds a passkey, sees it with its use, renames and removes it', async () => {
  const { token } = await aMember();
  const { device, passkey } = await added(token);
  expect(passkey).toMatchObject({
    ...{ name: 'Laptop', rpId: 'longshore.test', credentialId: device.credentialId },
    ...{ isSynced: false, lastUsedAt: null, createdAt: new Date(clock.now).toISOString() },
  });
  await signIn(device);
  expect((await list(token)).passkeys).toEqual([
    { ...passkey, lastUsedAt: new Date(clock.now).toISOString() },
  ]);
  const renamed = await call('PATCH', `/api/passkeys/${passkey.id}`, { token, body: { name: 'Work' } });
  expect(renamed.body.passkey.name).toBe('Work');
  expect((await remove(token, passkey.id)).status).toBe(200);
  expect((await list(token)).passkeys).toEqual([]);
});

test('the options ask for a passkey that is found without an address, verifies the person, and is not there yet', async () => {
  const { token, id } = await aMember();
  const { device } = await added(token);
  expect(await options(token)).toMatchObject({
    rp: { id: 'longshore.test', name: 'Longshore' },
    user: { name: `${id}@example.com`, displayName: 'Ada' },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ id: device.credentialId, transports: ['internal'] }],
    attestation: 'none',
  });
});

test.each(['ES256', 'EdDSA', 'RS256'] as const)('a passkey of the kind %s signs in', async (algorithm) => {
  const { token, id } = await aMember();
  const { device } = await added(token, await Authenticator.create(algorithm));
  expect((await keyOf(await signIn(device))).member.id).toBe(id);
});

test('a member has several passkeys, and each signs in until it is removed', async () => {
  const { token } = await aMember();
  const [one, other] = [await added(token), await added(token)];
  await remove(token, one.passkey.id);
  expect([(await signIn(one.device)).status, (await signIn(other.device)).status]).toEqual([401, 200]);
});

test.each<[string, Wrong, string]>([
  ['by a page of another origin', { origin: 'https://evil.example' }, 'at another address'],
  ['on another port', { origin: 'https://longshore.test:8443' }, 'at another address'],
  ['in a frame', { crossOrigin: true }, 'in a frame'],
  ['to sign in', { type: 'webauthn.get' }, 'for something else'],
  ['for another name', { rpId: 'evil.example' }, 'belongs to another address'],
  ['for a challenge of its own', { challenge: 'AAAA' }, 'was not made here'],
  ['without verifying the person', { without: ['UV'] }, 'has not verified you'],
  ['without a person', { without: ['UP', 'UV'] }, 'is not valid'],
  ['with another id than that of its key', { id: 'AAAA' }, 'names two passkeys'],
  ['with certificates', { x5c: true }, 'with certificates'],
])('a passkey that was made %s is refused (400), and named', async (_, wrong, reason) => {
  const { token } = await aMember();
  const device = await Authenticator.create();
  const refused = await add(token, await device.make(await options(token), here, wrong));
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  expect(refused.body.error).toContain('"credential"');
  expect(refused.body.error).toContain(reason);
  expect((await list(token)).passkeys).toEqual([]);
});

test('a key of an algorithm that was not asked for is refused', async () => {
  const { token } = await aMember();
  const device = await Authenticator.create('ES384');
  const refused = await add(token, await device.make(await options(token), here));
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('kind of key')]);
});

describe('a challenge', () => {
  test('to add a passkey works in its session only', async () => {
    const [one, other] = [await aMember(), await aMember()];
    const device = await Authenticator.create();
    const credential = await device.make(await options(one.token), here);
    expect((await add(other.token, credential)).body.error).toContain('was not made here');
    const second = await keyOf(await signIn((await added(one.token)).device));
    expect((await add(second.token, credential)).status).toBe(400);
    expect((await add(one.token, credential)).status).toBe(200);
  });

  test('to sign in adds nothing', async () => {
    const { token } = await aMember();
    const { challenge } = (await call('POST', '/api/sign-in/passkey')).body.publicKey;
    const credential = await (await Authenticator.create()).make(await options(token), here, { challenge });
    expect((await add(token, credential)).body.error).toContain('was not made here');
  });

  test('adds one passkey: what was removed does not come back by the same answer', async () => {
    const { token } = await aMember();
    const device = await Authenticator.create();
    const credential = await device.make(await options(token), here);
    const { passkey } = (await add(token, credential)).body;
    expect((await add(token, credential)).status).toBe(409);
    await remove(token, passkey.id);
    const again = await add(token, credential);
    expect([again.status, again.body.error]).toEqual([409, expect.stringContaining('used already')]);
  });

  test('ends after five minutes', async () => {
    const { token } = await aMember();
    const credential = await (await Authenticator.create()).make(await options(token), here);
    clock.now += 5 * minuteMs;
    expect((await add(token, credential)).body.error).toContain('more than 5 minutes ago');
  });
});

test('a passkey of somebody else is not added again', async () => {
  const [one, other] = [await aMember(), await aMember()];
  const { device } = await added(one.token);
  const refused = await add(other.token, await device.make(await options(other.token), here));
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
});

test('a member of another tenant, or of the same one, neither renames nor removes it', async () => {
  const { token } = await aMember();
  const { passkey, device } = await added(token);
  const tenantId = (await deps.db.select().from(passkeys)).length > 0 ? await insertTenant('other') : '';
  for (const other of [await insertMember({ tenantId }), await aMember()]) {
    expect((await remove(other.token, passkey.id)).status).toBe(404);
    const path = `/api/passkeys/${passkey.id}`;
    expect((await call('PATCH', path, { token: other.token, body: { name: 'Mine' } })).status).toBe(404);
    expect((await list(other.token)).passkeys).toEqual([]);
  }
  expect((await signIn(device)).status).toBe(200);
});

test('a key has no passkeys (403), and neither has its session', async () => {
  const { token, id } = await insertKey({ access: 'destroy' });
  const session = await insertKey({ kind: 'session', madeBy: id, expiresAt: clock.now + 60 * minuteMs });
  const proof = await deps.fingerprint('session', session.id);
  for (const one of [token, `session ${session.token} ${proof}`])
    expect((await call('GET', '/api/passkeys', { token: one })).status).toBe(403);
});

test('one passkey too many is refused, also when two are added at the same time', {
  tags: 'slow',
}, async () => {
  const { token, id } = await aMember();
  const { passkey } = await added(token);
  const row = (await deps.db.select().from(passkeys)).find((one) => one.id === passkey.id);
  if (!row) throw new Error('not there');
  for (let at = 1; at < passkeysMax - 1; at += 1)
    await deps.db.insert(passkeys).values({ ...row, id: `pky_${id}_${at}`, credentialId: `${id}${at}` });
  const devices = [await Authenticator.create(), await Authenticator.create()];
  const made = await Promise.all(devices.map(async (one) => one.make(await options(token), here)));
  const replies = await Promise.all(made.map((credential) => add(token, credential)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  const full = await call('POST', '/api/passkeys/options', { token });
  expect([full.status, full.body.code]).toEqual([409, 'quota_exceeded']);
});

test.each([
  ['an IP address', 'http://127.0.0.1:4000', 'http://localhost:4000'],
  ['an IPv6 address', 'http://[::1]:4000', 'http://localhost:4000'],
  ['plain http', 'http://longshore.example', 'https://longshore.example'],
])('a browser at %s is told where passkeys work', async (_, origin, way) => {
  const { token } = await aMember();
  const headers = { origin, host: new URL(origin).host };
  const [, cookie, proof] = token.split(' ');
  const port = /:(\d+)$/.exec(origin)?.[1] ?? 80;
  const session = { cookie: `longshore-session-${port}=${cookie}`, 'x-longshore-session': proof ?? '' };
  const asked = await call('POST', '/api/passkeys/options', { headers: { ...headers, ...session } });
  expect([asked.status, asked.body.code]).toEqual([400, 'unsupported']);
  expect(asked.body.error).toContain(way);
  const begun = await call('POST', '/api/sign-in/passkey', { headers });
  expect(begun.body.error).toContain(way);
});

describe('who removes a passkey', () => {
  test('is told what else signs in: other passkeys, providers, another owner', async () => {
    const { token } = await aMember();
    const [one] = [await added(token), await added(token)];
    const first = await remove(token, one.passkey.id);
    expect(first.body).toEqual({ passkeysLeft: 1, otherWays: { providers: [], hasOtherOwner: false } });
  });

  test('and is the only owner sees before that only the operator could help', async () => {
    const owner = await aMember({ role: 'owner' });
    expect((await list(owner.token)).otherWays).toEqual({ providers: [], hasOtherOwner: false });
  });
});
