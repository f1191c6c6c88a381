/** Backups in the bucket of the control plane, R2 and one that speaks S3: of a PostgreSQL that runs, through the real Worker and a real runner, and back. */
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyPartBytes } from '../../protocol/backup-copy.ts';
import { databaseCalls } from '../support/instance/database-calls.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { filesBelow, findSecrets } from '../support/instance/written-secrets.ts';
import { type S3Server, startS3Server } from '../support/servers/s3-server.ts';

/** What has two parts, on a busy machine. */
const largeWithinMs = 300_000;
const rowCount = 100;
const longshore = useInstance();
let s3: S3Server;
let service: Json;
const { at, ask, call, listed, query, backUp: taken } = databaseCalls(longshore, () => service);

beforeAll(async () => {
  s3 = await startS3Server();
  service = await longshore.newDatabase('postgres');
  await query(`create table notes as select n as id from generate_series(1, ${rowCount}) n`);
});

afterAll(() => s3?.stop());

/** Keys of backups in the bucket. A dump of the control plane lies there too once its hour has come. */
const keptBackups = async () => (await s3.kept()).filter((key) => key.startsWith('e2e/backups/'));

const countNotes = async () => (await query('select count(*)::int as n from notes')).rows[0].n;

async function downloaded(id: string, headers: Record<string, string> = {}): Promise<[number, Buffer]> {
  const reply = await longshore.download(at(`/backups/${id}/download`), headers);
  return [reply.status, Buffer.from(await reply.arrayBuffer())];
}

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const filesOfHost = () =>
  readdir(join(longshore.dataDirectory, 'runner', 'backups', service.id)).catch(() => []);

test('a connected bucket is shown', async () => {
  expect((await ask('GET', '/backups')).remote).toEqual({ connected: true });
});

test('a backup whose file on the host is gone is downloaded and restored from the bucket, and its fetched copy does not stay', async () => {
  const backup = await taken('disk+remote');
  expect(backup).toMatchObject({
    status: 'succeeded',
    error: null,
    remoteKey: `backups/${service.id}/${backup.id}`,
    localPath: expect.stringContaining(backup.id),
    rows: rowCount,
  });
  await rm(backup.localPath);
  const [status, bytes] = await downloaded(backup.id);
  expect([status, bytes.length, sha256(bytes)]).toEqual([200, backup.sizeBytes, backup.checksum]);
  await query('delete from notes where id > 10');
  await ask('POST', `/backups/${backup.id}/restore`);
  expect(await countNotes()).toBe(rowCount);
  const { restore } = await listed(backup.id);
  expect(await readdir(dirname(backup.localPath))).toEqual([restore.safetyBackupId]);
});

/** Deletes a backup, and keeps nothing of it. */
async function removeNow(id: string): Promise<void> {
  expect(await ask('DELETE', `/backups/${id}`)).toEqual({ ok: true });
  await purge(id);
}

const purge = (id: string) => longshore.operate('POST', `/api/system/deleted/${id}/purge`);

test('a backup only in the bucket leaves no file on the host, is downloaded by range, and is deleted', async () => {
  const before = await filesOfHost();
  const backup = await taken('remote');
  expect(backup).toMatchObject({ status: 'succeeded', localPath: null, error: null });
  expect(await filesOfHost()).toEqual(before);
  const [whole, bytes] = await downloaded(backup.id);
  expect([whole, sha256(bytes)]).toEqual([200, backup.checksum]);
  const [part, rest] = await downloaded(backup.id, { range: 'bytes=5-' });
  expect([part, rest.equals(bytes.subarray(5))]).toEqual([206, true]);
  await query('delete from notes');
  await ask('POST', `/backups/${backup.id}/restore`);
  expect(await countNotes()).toBe(rowCount);
  expect(await ask('DELETE', `/backups/${backup.id}`)).toEqual({ ok: true });
  expect((await downloaded(backup.id))[0]).toBe(404);
  await purge(backup.id);
});

test('copies in the bucket survive a restart of the instance', async () => {
  const { id, checksum } = await taken('remote');
  await longshore.stop();
  await longshore.start();
  const [status, bytes] = await downloaded(id);
  expect([status, sha256(bytes)]).toEqual([200, checksum]);
});

const setBucket = (backupBucket: Json, more: Json = {}) =>
  longshore.call('PATCH', '/api/system/settings', { backupBucket, ...more }, longshore.operatorToken);
const bucket = () => {
  const { logUrl: _, ...address } = s3.address;
  return { ...address, region: 'eu-central-1', prefix: 'e2e/' };
};

test('a bucket that speaks S3 is not put in the place of R2 while copies lie there', async () => {
  const { status, body } = await setBucket(bucket(), { allowPrivateBackupBucket: true });
  expect([status, body.error]).toEqual([409, expect.stringMatching(/backup copies: \d/)]);
  for (const { id, remoteKey } of (await ask('GET', '/backups')).backups) {
    if (remoteKey !== null) await removeNow(id);
  }
  expect((await setBucket(bucket(), { allowPrivateBackupBucket: true })).status).toBe(200);
  expect((await ask('GET', '/backups')).remote).toEqual({ connected: true });
});

/** Of 1,280 bytes that nothing compresses: 72 MB, so a part and a bit. */
const noiseRows = 56_000;

test(
  'a bucket that speaks S3 takes a backup in several parts; with the file on the host gone it is downloaded and restored from there',
  async () => {
    await query('create table noise (bytes bytea)');
    for (let batch = 0; batch < 8; batch++) {
      await query(`insert into noise select string_agg(sha512((random() || '-' || part)::bytea), '')
        from generate_series(1, 20) part, generate_series(1, ${noiseRows / 8}) line group by line`);
    }
    const backup = await taken('disk+remote', largeWithinMs);
    expect(backup).toMatchObject({ status: 'succeeded', error: null, rows: rowCount + noiseRows });
    expect(backup.sizeBytes).toBeGreaterThan(copyPartBytes);
    expect(await keptBackups()).toEqual([`e2e/backups/${service.id}/${backup.id}`]);
    await rm(backup.localPath);
    const [status, bytes] = await downloaded(backup.id);
    expect([status, bytes.length, sha256(bytes)]).toEqual([200, backup.sizeBytes, backup.checksum]);
    await query('drop table noise');
    await query('delete from notes where id > 10');
    await ask('POST', `/backups/${backup.id}/restore`);
    expect(await countNotes()).toBe(rowCount);
    expect((await query('select count(*)::int as n from noise')).rows[0].n).toBe(noiseRows);
    await removeNow(backup.id);
    expect(await keptBackups()).toEqual([]);
  },
  2 * largeWithinMs,
);

test('a bucket that speaks S3 has a secret key that is nowhere in what the instance wrote', async () => {
  const files = await filesBelow(longshore.dataDirectory);
  const { secretAccessKey, accessKeyId } = s3.address;
  expect(await findSecrets(files, { secretAccessKey })).toEqual([]);
  expect(await findSecrets(files, { accessKeyId })).not.toEqual([]);
});

test('a bucket that speaks S3 keeps the only copy of a backup, which is downloaded by range, restored and deleted', async () => {
  await query('drop table noise');
  const before = await filesOfHost();
  const backup = await taken('remote');
  expect(backup).toMatchObject({ status: 'succeeded', localPath: null, error: null });
  expect(await filesOfHost()).toEqual(before);
  const [whole, bytes] = await downloaded(backup.id);
  expect([whole, sha256(bytes)]).toEqual([200, backup.checksum]);
  const [part, rest] = await downloaded(backup.id, { range: 'bytes=5-' });
  expect([part, rest.equals(bytes.subarray(5))]).toEqual([206, true]);
  await query('delete from notes');
  await ask('POST', `/backups/${backup.id}/restore`);
  expect(await countNotes()).toBe(rowCount);
  await removeNow(backup.id);
  expect(await keptBackups()).toEqual([]);
});

test('a bucket that is away is reported by everything that needs it, and can be replaced by R2', async () => {
  const kept = await taken('remote');
  await s3.stop();
  const failed = await taken('remote');
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/can't be reached/) });
  for (const [method, path, body, status] of [
    ['POST', '/backups', { storage: 'remote' }, 409],
    ['GET', `/backups/${kept.id}/download`, undefined, 503],
  ] as const) {
    const reply = await call(method, path, body);
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(/can't be reached/)]);
  }
  expect((await ask('GET', '/backups')).remote).toEqual({ connected: false });
  expect((await setBucket(null)).status).toBe(409);
  expect((await setBucket(null, { leaveBackupCopies: true })).status).toBe(200);
  expect((await taken('remote')).status).toBe('succeeded');
  expect(await ask('DELETE', `/backups/${kept.id}`)).toEqual({ ok: true });
});
