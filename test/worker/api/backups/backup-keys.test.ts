/**
 * Encrypted backups over the API: keys are made, used, rotated and retired, and downloads are decrypted. The host is played here.
 * @module-tag slow
 */

import { env } from 'cloudflare:workers';
import { Decrypter, Encrypter } from 'age-encryption';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { requestPlace } from '../../../../protocol/sealed-box.ts';
import { backupKeys, backups } from '../../../../worker/store/schema/backups.ts';
import { deps, insertKey, insertTenant, type Json, operatorToken } from '../../../support/worker/api.ts';
import { call, remoteDatabase } from '../../../support/worker/remote-backup.ts';

const dayMs = 24 * 3_600_000;
const content = 'the decrypted bytes of a backup';
const { token } = await insertKey();
const makeKey = async (): Promise<{ backupKey: Json; identity: string }> =>
  (await call('POST', '/api/backup-keys', { token })).body;
const keys = async (by = token): Promise<Json[]> =>
  (await call('GET', '/api/backup-keys', { token: by })).body.backupKeys;
const retire = (id: string, by = token) => call('DELETE', `/api/backup-keys/${id}`, { token: by });

async function encrypted(recipient: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return await encrypter.encrypt(content);
}

type Bench = Awaited<ReturnType<typeof remoteDatabase>>;

/** A backup that a host has encrypted as its spec says, with a copy in the bucket. */
async function takeEncrypted(
  { service, runner, send, begun, listed }: Bench,
  storage: string,
): Promise<Json> {
  const { backup, start } = await begun(storage);
  const { encryption } = start.spec as { encryption?: { keyId: string; recipient: string } };
  if (!encryption) throw new Error('The spec has no key.');
  const file = await encrypted(encryption.recipient);
  const remoteKey = `backups/${service.id}/${backup.id}`;
  await env.BLOBS.put(remoteKey, file);
  const archive = {
    ...{ sizeBytes: file.length, checksum: `sha256:${'a'.repeat(64)}`, tables: 1, rows: 1 },
    ...{ remoteKey, localPath: storage === 'remote' ? null : '/data/bak', encryptedWith: encryption.keyId },
  };
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
  expect((await send('GET')).status).toBe(200);
  return listed(backup.id);
}

test('a new key encrypts the backups that start after it, another one those after that, and none after the retirement', async () => {
  const bench = await remoteDatabase();
  expect((await bench.begun('disk').then(abort)).spec).not.toHaveProperty('encryption');
  const first = (await makeKey()).backupKey;
  const one = await takeEncrypted(bench, 'disk+remote');
  const second = (await makeKey()).backupKey;
  const two = await takeEncrypted(bench, 'disk+remote');
  expect([one.encryptedWith, two.encryptedWith]).toEqual([first.id, second.id]);
  expect(await keys()).toEqual([
    { ...second, encryptedBackups: 1 },
    { ...first, isCurrent: false, encryptedBackups: 1, retiredAt: expect.any(String) },
  ]);
  expect((await retire(second.id)).status).toBe(200);
  expect((await bench.begun('disk').then(abort)).spec).not.toHaveProperty('encryption');

  async function abort({ backup, start }: Awaited<ReturnType<Bench['begun']>>) {
    await bench.send('POST', `/${backup.id}/abort`);
    await bench.runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
    return start;
  }
});

test('a restore and a drill get the identity of their backup, sealed, also after the key was replaced', async () => {
  const bench = await remoteDatabase();
  const { identity, backupKey } = await makeKey();
  const { id } = await takeEncrypted(bench, 'disk+remote');
  await makeKey();
  await bench.send('POST', `/${id}/prove`);
  const start = await bench.runner.next('start');
  expect(start.spec).toMatchObject({ kind: 'drill', backup: { encryptedWith: backupKey.id } });
  expect(JSON.stringify(start)).not.toContain(identity);
  expect(await bench.runner.openBox(start)).toMatchObject({ backupIdentity: identity });
});

test('a download from the bucket is decrypted, whole and by range, and the stored bytes are sent on request', async () => {
  const bench = await remoteDatabase();
  const { identity } = await makeKey();
  const { id, sizeBytes } = await takeEncrypted(bench, 'remote');
  const whole = await bench.send('GET', `/${id}/download`);
  expect([whole.status, whole.text, whole.headers.get('content-length')]).toEqual([
    ...[200, content],
    String(content.length),
  ]);
  expect(whole.headers.get('repr-digest')).toBeNull();
  const part = await bench.send('GET', `/${id}/download`, undefined, call, { range: 'bytes=4-12' });
  expect([part.status, part.text]).toEqual([206, content.slice(4, 13)]);
  const stored = await bench.send('GET', `/${id}/download?stored=true`);
  const storedDigest = Buffer.from('a'.repeat(64), 'hex').toString('base64');
  expect(stored.headers.get('repr-digest')).toBe(`sha-256=:${storedDigest}:`);
  expect([stored.status, stored.headers.get('content-length')]).toEqual([200, String(sizeBytes)]);
  expect(stored.headers.get('content-disposition')).toMatch(/\.dump\.age"$/);
  expect(stored.headers.get('etag')).not.toBe(whole.headers.get('etag'));
  const object = await env.BLOBS.get(`backups/${bench.service.id}/${id}`);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const file = new Uint8Array((await object?.arrayBuffer()) ?? []);
  expect(await decrypter.decrypt(file, 'text')).toBe(content);
});

test('a download from the host asks it to decrypt, with the identity sealed for it', async () => {
  const bench = await remoteDatabase();
  const { identity } = await makeKey();
  const { id } = await takeEncrypted(bench, 'disk+remote');
  const asked = bench.send('GET', `/${id}/download`);
  const { ask, ...request } = await bench.runner.next('request');
  if (ask.op !== 'send-backup' || ask.sealedIdentity === undefined) throw new Error(JSON.stringify(ask));
  expect([ask.offset, ask.end]).toEqual([0, content.length]);
  const place = requestPlace(bench.service.runnerId, 'send-backup');
  expect(await bench.runner.openText(ask.sealedIdentity, place)).toBe(identity);
  bench.runner.send({
    v: 1,
    type: 'response',
    id: request.id,
    outcome: { ok: false, code: 'failed', message: 'No.' },
  });
  expect((await asked).text).toBe(content);
});

test('a lost key is named: the download is 409, a restore at once, too, the drill fails, and the stored file can still be downloaded', async () => {
  const bench = await remoteDatabase();
  const { backupKey } = await makeKey();
  const { id } = await takeEncrypted(bench, 'remote');
  const other = await deps.envelope.sealForInstance({ table: 'a', column: 'b', rowId: 'c' }, 'x');
  await deps.db.update(backupKeys).set({ sealedIdentity: other }).where(eq(backupKeys.id, backupKey.id));
  const named = expect.stringContaining(`key ${backupKey.id}, which can't be opened`);
  expect(await bench.send('GET', `/${id}/download`)).toMatchObject({ status: 409, body: { error: named } });
  expect((await bench.send('GET', `/${id}/download?stored=true`)).status).toBe(200);
  expect(await bench.send('POST', `/${id}/restore`)).toMatchObject({
    status: 409,
    body: { code: 'restore_failed', error: named },
  });
  await bench.send('POST', `/${id}/prove`);
  await expect
    .poll(async () => (await bench.listed(id)).drill)
    .toMatchObject({ state: 'failed', error: named });
});

test('a retired key is deleted once no backup needs it, and a day later at the earliest', async () => {
  const bench = await remoteDatabase();
  const [used, unused] = [await makeKey().then(taken), await makeKey()];
  await makeKey();
  expect((await keys()).map(({ id }) => id)).toEqual(expect.arrayContaining([used.id, unused.backupKey.id]));
  await deps.db.update(backupKeys).set({ retiredAt: deps.now() - dayMs - 1 });
  await makeKey();
  const left = (await keys()).map(({ id }) => id);
  expect([left.includes(used.id), left.includes(unused.backupKey.id)]).toEqual([true, false]);

  async function taken({ backupKey }: { backupKey: Json }): Promise<Json> {
    const { id } = await takeEncrypted(bench, 'remote');
    const [row] = await deps.db.select().from(backups).where(eq(backups.id, id));
    expect(row?.encryptedWith).toBe(backupKey.id);
    return backupKey;
  }
});

test('a host that names the key of another tenant never gets its identity', async () => {
  const { token: stranger } = await insertKey({ tenantId: await insertTenant('victim') });
  const foreign = (await call('POST', '/api/backup-keys', { token: stranger })).body.backupKey.id;
  const bench = await remoteDatabase();
  const { backup, start } = await bench.begun('disk');
  const archive = {
    ...{ sizeBytes: 300, checksum: `sha256:${'a'.repeat(64)}`, tables: 1, rows: 1 },
    ...{ remoteKey: null, localPath: '/data/bak', encryptedWith: foreign },
  };
  await bench.runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
  expect(await bench.listed(backup.id)).toMatchObject({ status: 'succeeded', encryptedWith: null });
  await bench.send('POST', `/${backup.id}/prove`);
  expect(await bench.runner.openBox(await bench.runner.next('start'))).not.toHaveProperty('backupIdentity');
});

test('a tenant neither sees, nor uses, nor retires the keys of another one', async () => {
  const tenantId = await insertTenant('other');
  const { token: stranger } = await insertKey({ tenantId });
  const { backupKey } = await makeKey();
  expect(await keys(stranger)).toEqual([]);
  expect((await retire(backupKey.id, stranger)).status).toBe(404);
  expect((await keys()).find(({ id }) => id === backupKey.id)).toMatchObject({ isCurrent: true });
  await call('POST', '/api/backup-keys', { token: stranger });
  expect((await keys()).find(({ id }) => id === backupKey.id)).toMatchObject({ isCurrent: true });
});

test('a tenant that is deleted takes its keys of encrypted backups with it', async () => {
  const tenantId = await insertTenant('leaving');
  const { id, token: leaving } = await insertKey({ tenantId });
  await call('POST', '/api/backup-keys', { token: leaving });
  const remove = () => call('DELETE', `/api/system/tenants/${tenantId}`, { token: operatorToken });
  expect((await remove()).status).toBe(409);
  await call('DELETE', `/api/system/keys/${id}`, { token: operatorToken });
  expect((await remove()).status).toBe(200);
  expect(await deps.db.select().from(backupKeys).where(eq(backupKeys.tenantId, tenantId))).toEqual([]);
});
