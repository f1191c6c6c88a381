/** The bucket of backups as a setting: an S3 server with checked signatures, tried out, kept with its secret sealed, and used. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { afterEach, expect, inject, test } from 'vitest';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { backups } from '../../../../worker/store/schema/backups.ts';
import { deletions } from '../../../../worker/store/schema/deletions.ts';
import { settings } from '../../../../worker/store/schema/settings.ts';
import { uploads } from '../../../../worker/store/schema/uploads.ts';
import { sweepCopies } from '../../../../worker/usecases/backups/sweep-backups.ts';
import '../../../support/servers/s3-provided.ts';
import { deps, type Json, operatorToken } from '../../../support/worker/api.ts';
import { call, copyCalls, remoteDatabase } from '../../../support/worker/remote-backup.ts';

const { endpoint, bucket, accessKeyId, secretAccessKey } = inject('s3');
let prefixes = 0;
/** Of a test alone. */
const newBucket = () => ({
  endpoint,
  region: 'us-east-1',
  bucket,
  accessKeyId,
  secretAccessKey,
  prefix: `setting-${++prefixes}/`,
});

const path = '/api/system/settings';
const operatorPurge = (id: string) =>
  call('POST', `/api/system/deleted/${id}/purge`, { token: operatorToken });
const patch = (body: Json) => call('PATCH', path, { token: operatorToken, body });
const shown = async () => (await call('GET', path, { token: operatorToken })).body.settings.backupBucket;
async function setTo(backupBucket: Json) {
  const reply = await patch({ backupBucket, allowPrivateBackupBucket: true });
  expect(reply.status, reply.text).toBe(200);
  await deps.blobs.trouble(true); // has its choice for longer than a request
  return reply.body.settings.backupBucket;
}

afterEach(async () => {
  await deps.db.delete(backups);
  await deps.db.delete(deletions);
  await setTo(null);
});

test('a bucket is shown without its secret key, which is stored sealed; neither answers nor the audit log contain it', {
  tags: 'slow',
}, async () => {
  const { secretAccessKey: secret, ...rest } = newBucket();
  expect(await setTo({ ...rest, secretAccessKey: secret })).toEqual({ ...rest, pathStyle: true });
  expect(await shown()).toEqual({ ...rest, pathStyle: true });
  const rows = await deps.db.select().from(settings);
  const sealed = rows.find(({ name }) => name === 'backupBucketSecret')?.value;
  expect(sealed).toMatch(/^k[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(JSON.stringify(await deps.db.select().from(auditLog))).not.toContain(secret);
});

test.each<[string, Json, number, RegExp]>([
  ['a wrong secret key', { secretAccessKey: 'canary' }, 409, /"backupBucket.secretAccessKey" does not work/],
  ['an unknown access key', { accessKeyId: 'canary' }, 409, /"backupBucket.accessKeyId" does not work/],
  [
    'no such bucket',
    { bucket: 'no-such-bucket' },
    409,
    /"backupBucket.bucket" does not work: .*NoSuchBucket/,
  ],
  ['nobody there', { endpoint: 'http://127.0.0.1:9' }, 409, /"backupBucket.endpoint" does not work/],
  [
    'a URL with a password',
    { endpoint: 'https://u:p@s3.example.com' },
    400,
    /"backupBucket.endpoint" must be/,
  ],
  ['a name that is none', { bucket: 'Not_A_Bucket' }, 400, /backupBucket.bucket.* must be 3 to 63/],
  ['a prefix without end', { prefix: 'longshore' }, 400, /backupBucket.prefix.* ends with a slash/],
  ['a prefix that climbs', { prefix: '../../' }, 400, /backupBucket.prefix/],
  ['no secret key at all', { secretAccessKey: undefined }, 400, /"backupBucket.secretAccessKey" is missing/],
])(
  'a bucket with %s is refused by the name of the field, and nothing is changed',
  async (_, wrong, status, why) => {
    await patch({ allowPrivateBackupBucket: true });
    const reply = await patch({ backupBucket: { ...newBucket(), ...wrong }, auditDays: 7 });
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(why)]);
    expect(reply.text).not.toContain('canary');
    const { settings: now } = (await call('GET', path, { token: operatorToken })).body;
    expect([now.backupBucket, now.auditDays]).toEqual([null, 365]);
  },
);

test('a bucket on plain http or a private address is refused until the operator allows it, which cannot be revoked while one is set', async () => {
  await patch({ allowPrivateBackupBucket: false });
  const refused = [
    await patch({ backupBucket: newBucket() }),
    await patch({ backupBucket: { ...newBucket(), endpoint: 'https://10.0.0.1' } }),
    await patch({ backupBucket: { ...newBucket(), endpoint: 'https://minio.internal' } }),
  ];
  for (const { status, body } of refused) {
    expect([status, body.error]).toEqual([400, expect.stringMatching(/endpoint.*allowPrivateBackupBucket/)]);
  }
  await setTo(newBucket());
  expect(await patch({ allowPrivateBackupBucket: false })).toMatchObject({ status: 400 });
  expect((await patch({ backupBucket: null, allowPrivateBackupBucket: false })).status).toBe(200);
});

test('a bucket keeps its secret key for a change of the rest, but for no other server or key', {
  tags: 'slow',
}, async () => {
  const { secretAccessKey: _, ...rest } = await newBucket();
  await setTo({ ...rest, secretAccessKey });
  expect(await setTo({ ...rest, region: 'eu-west-1' })).toMatchObject({ region: 'eu-west-1' });
  for (const other of [{ endpoint: endpoint.replace('127.0.0.1', 'localhost') }, { accessKeyId: 'other' }]) {
    const { status, body } = await patch({ backupBucket: { ...rest, ...other } });
    expect([status, body.error]).toEqual([400, expect.stringMatching(/secretAccessKey" is missing/)]);
  }
});

test('a bucket whose stored secret key does not open takes nothing, reports it, and is set again', {
  tags: 'slow',
}, async () => {
  const wanted = newBucket();
  await setTo(wanted);
  await deps.db
    .update(settings)
    .set({ value: 'v1.AAAA.AAAA' })
    .where(eq(settings.name, 'backupBucketSecret'));
  expect(await deps.blobs.trouble(true)).toMatch(/"backupBucket" can't be decrypted/);
  const { send } = await remoteDatabase();
  expect((await send('GET')).body.remote).toEqual({ connected: false });
  expect(await send('POST', '', { storage: 'remote' })).toMatchObject({ status: 409 });
  await setTo(wanted);
  expect((await send('GET')).body.remote).toEqual({ connected: true });
});

/** A backup of which a host, that is played, brings the copy into the bucket in two parts. */
async function copied() {
  const database = await remoteDatabase();
  const { backup, start, transferToken } = await database.begun('remote');
  const copy = copyCalls(start.job, transferToken);
  const { upload } = (await copy.begin()).body;
  const parts = ['a'.repeat(5 * 1024 * 1024), 'end'];
  const etags: string[] = [];
  for (const [index, part] of parts.entries()) {
    etags.push((await copy.part(upload, String(index + 1), part)).body.etag);
  }
  expect((await copy.complete(upload, etags)).status).toBe(200);
  const bytes = parts.join('');
  expect((await copy.read()).text === bytes).toBe(true);
  const remoteKey = `backups/${database.service.id}/${backup.id}`;
  const archive = {
    sizeBytes: bytes.length,
    checksum: `sha256:${'a'.repeat(64)}`,
    tables: 1,
    rows: 1,
    localPath: null,
    remoteKey,
  };
  await database.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive } },
  });
  return { ...database, id: backup.id, remoteKey, bytes };
}

test('copies lie in the bucket and not in R2: written in parts by the host, downloaded whole and by range, deleted', {
  tags: 'slow',
}, async () => {
  await setTo(newBucket());
  const { send, id, remoteKey, bytes } = await copied();
  expect((await send('GET')).body.remote).toEqual({ connected: true });
  expect([await env.BLOBS.head(remoteKey), await deps.blobs.size(remoteKey)]).toEqual([null, bytes.length]);
  expect((await send('GET', `/${id}/download`)).text === bytes).toBe(true);
  const part = await send('GET', `/${id}/download`, undefined, call, { range: 'bytes=-4' });
  expect([part.status, part.text]).toEqual([206, 'aend']);
  expect((await send('DELETE', `/${id}`)).status).toBe(200);
  expect(await deps.blobs.size(remoteKey)).toBe(bytes.length);
  await operatorPurge(id);
  expect(await deps.blobs.size(remoteKey)).toBeNull();
});

test('copies keep the operator from exchanging the bucket under them, but not from new keys for the same one', {
  tags: 'slow',
}, async () => {
  const wanted = newBucket();
  await setTo(wanted);
  const { send, id } = await copied();
  for (const other of [null, newBucket()]) {
    const { status, body } = await patch({ backupBucket: other, auditDays: 7 });
    expect([status, body.error]).toEqual([409, expect.stringMatching(/backup copies: 1, uploaded files: 0/)]);
  }
  expect((await call('GET', path, { token: operatorToken })).body.settings).toMatchObject({
    backupBucket: { prefix: wanted.prefix },
    auditDays: 365,
  });
  expect(await setTo({ ...wanted, region: 'eu-west-1' })).toMatchObject({ region: 'eu-west-1' });
  await send('DELETE', `/${id}`);
  // A deleted backup can be restored, so its copy counts.
  expect((await patch({ backupBucket: null })).status).toBe(409);
  await operatorPurge(id);
  expect(await setTo(null)).toBeNull();
});

test('unfinished copies are removed by the sweep a day later', { tags: 'slow' }, async () => {
  await setTo(newBucket());
  const { begun } = await remoteDatabase();
  const { start, transferToken } = await begun('remote');
  const copy = copyCalls(start.job, transferToken);
  const { upload } = (await copy.begin()).body;
  await sweepCopies(deps);
  expect((await copy.part(upload, '1', 'part')).status).toBe(200);
  await sweepCopies({ ...deps, now: () => Date.now() + 25 * 3_600_000 });
  expect(await copy.part(upload, '2', 'part')).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/NoSuchUpload/) },
  });
});

test('copies and uploaded files together keep the bucket from being exchanged', async () => {
  await setTo(newBucket());
  const { service } = await remoteDatabase();
  await deps.db.insert(uploads).values({
    id: 'upl_test',
    serviceId: service.id,
    blobId: 'x',
    sizeBytes: 1,
    createdAt: 0,
    expiresAt: 0,
  });
  const { status, body } = await patch({ backupBucket: null });
  expect([status, body.error]).toEqual([409, expect.stringMatching(/backup copies: 0, uploaded files: 1/)]);
  await deps.db.delete(uploads);
});

test('copies that are being written keep the bucket from being exchanged too', async () => {
  await setTo(newBucket());
  await (await remoteDatabase()).begun('disk+remote');
  expect((await patch({ backupBucket: null })).status).toBe(409);
});

test('copies that were left behind are reported as gone, and their backups can be deleted', {
  tags: 'slow',
}, async () => {
  await setTo(newBucket());
  const { send, id } = await copied();
  const { status } = await patch({ backupBucket: newBucket(), leaveBackupCopies: true });
  expect(status).toBe(200);
  expect(await send('GET', `/${id}/download`)).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/no longer in the bucket/) },
  });
  expect((await send('DELETE', `/${id}`)).status).toBe(200);
});
