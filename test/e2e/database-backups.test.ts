/** Backups of a PostgreSQL that runs, through the real Worker and a real runner, to a file on the host and back. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Decrypter } from 'age-encryption';
import Docker from 'dockerode';
import { beforeAll, expect, test } from 'vitest';
import { databaseCalls } from '../support/instance/database-calls.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import * as shapes from '../support/instance/interface-shapes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const docker = new Docker();
const endsWithinMs = 90_000;
/** The control plane's cron runs every minute. */
const cronWithinMs = 150_000;
const rowCount = 1_000;
const longshore = useInstance();
let service: Json;
/** The first backup: what the database held at the start. */
let first: Json;
const { at, ask, refusal, query, listed, ended } = databaseCalls(longshore, () => service);

beforeAll(async () => {
  service = await longshore.newDatabase('postgres');
  await query('create table notes (id int primary key, text text)');
  await query(`insert into notes select n, md5(n::text) from generate_series(1, ${rowCount}) n`);
});

const countNotes = async () => (await query('select count(*)::int as n from notes')).rows[0].n;

async function begin(): Promise<Json> {
  const { backup } = await ask('POST', '/backups', { storage: 'disk' });
  expect(shapes.backup.parse(backup)).toMatchObject({ status: 'running', finishedAt: null });
  return backup;
}

const filesOfHost = async () => (await readdir(dirname(first.localPath))).toSorted();

test('a backup succeeds with one file on the host whose checksum matches its bytes', async () => {
  first = await ended((await begin()).id);
  expect(first).toMatchObject({ status: 'succeeded', trigger: 'manual', storage: 'disk', format: 'custom' });
  expect(first).toMatchObject({
    engine: 'postgres',
    tables: 1,
    rows: rowCount,
    remoteKey: null,
    error: null,
  });
  const bytes = await readFile(first.localPath);
  expect([bytes.length, sha256(bytes)]).toEqual([first.sizeBytes, first.checksum]);
  expect(await filesOfHost()).toEqual([first.id]);
});

test('a backup is downloaded whole and in parts, byte for byte as it was written', async () => {
  const path = at(`/backups/${first.id}/download`);
  const whole = await longshore.download(path);
  const bytes = Buffer.from(await whole.arrayBuffer());
  expect([whole.status, bytes.length, sha256(bytes)]).toEqual([200, first.sizeBytes, first.checksum]);
  const half = Math.floor(first.sizeBytes / 2);
  const parts: Buffer[] = [];
  for (const range of [`bytes=0-${half - 1}`, `bytes=${half}-`]) {
    const part = await longshore.download(path, { range });
    expect(part.status).toBe(206);
    parts.push(Buffer.from(await part.arrayBuffer()));
  }
  expect([parts[0]?.length, Buffer.concat(parts).equals(bytes)]).toEqual([half, true]);
  const beyond = await longshore.download(path, { range: `bytes=${first.sizeBytes}-` });
  expect(beyond.status).toBe(416);
  await beyond.body?.cancel();
  expect(bytes.subarray(0, 13).toString()).toBe('manifest.json'); // the first file of the tar
});

test('a restore brings back what was deleted, and the data before it is kept as a separate backup', async () => {
  await query('delete from notes where id > 10');
  expect(await countNotes()).toBe(10);
  const answer = await ask('POST', `/backups/${first.id}/restore`);
  expect(shapes.restoreAnswer.parse(answer).backup).toEqual({ id: first.id, status: 'succeeded' });
  const read = await query(`select text = md5(id::text) as whole, count(*)::int as n from notes group by 1`);
  expect(read.rows).toEqual([{ whole: true, n: rowCount }]);
  const { restore } = await listed(first.id);
  expect(restore).toMatchObject({ state: 'succeeded', error: null, serviceId: service.id });
  const safety = await listed(restore.safetyBackupId);
  expect(safety).toMatchObject({ status: 'succeeded', trigger: 'pre-restore', rows: 10 });
  await ask('POST', `/backups/${safety.id}/restore`);
  expect(await countNotes()).toBe(10);
});

test('an encrypted backup is decrypted for downloads and restores, and its stored bytes open with the identity alone', async () => {
  const { body } = await longshore.call('POST', '/api/backup-keys');
  const { backupKey, identity } = body;
  const { id, localPath, encryptedWith, sizeBytes, checksum } = await ended((await begin()).id);
  expect(encryptedWith).toBe(backupKey.id);
  const bytesAt = async (query: string, range?: string) => {
    const answer = await longshore.download(at(`/backups/${id}/download${query}`), range ? { range } : {});
    return Buffer.from(await answer.arrayBuffer());
  };
  const stored = await bytesAt('?stored=true');
  expect([stored.length, sha256(stored)]).toEqual([sizeBytes, checksum]);
  expect(stored.equals(await readFile(localPath))).toBe(true);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const plain = Buffer.from(await decrypter.decrypt(stored));
  expect(plain.subarray(0, 13).toString()).toBe('manifest.json');
  expect(plain.equals(await bytesAt(''))).toBe(true);
  expect(plain.subarray(100, 5_000).equals(await bytesAt('', 'bytes=100-4999'))).toBe(true);
  await query('delete from notes where id > 3');
  await ask('POST', `/backups/${id}/restore`);
  expect(await countNotes()).toBe(10);
  expect((await longshore.call('DELETE', `/api/backup-keys/${backupKey.id}`)).status).toBe(200);
});

test('a backup that waits for a lock is aborted, and leaves no file and no session', async () => {
  const before = await filesOfHost();
  await holdLock();
  const { id } = await begin();
  const waiting = `select count(*)::int as n from pg_locks where relation = 'notes'::regclass and not granted`;
  await expect
    .poll(async () => (await query(waiting)).rows[0].n, { timeout: endsWithinMs })
    .toBeGreaterThan(0);
  expect(await refusal('POST', '/backups', { storage: 'disk' })).toEqual([409, 'conflict']);
  expect(await refusal('DELETE', `/backups/${id}`)).toEqual([409, 'conflict']);
  expect(await refusal('GET', `/backups/${id}/download`)).toEqual([409, 'conflict']);
  expect(await refusal('POST', `/backups/${id}/restore`)).toEqual([409, 'conflict']);
  expect(await ask('POST', `/backups/${id}/abort`)).toEqual({ accepted: true });
  expect(await ended(id)).toMatchObject({ status: 'failed', error: 'It was aborted.', localPath: null });
  expect(await refusal('POST', `/backups/${id}/abort`)).toEqual([409, 'cannot_abort']);
  expect(await filesOfHost()).toEqual(before);
  // The server sees that a client is gone once it no longer waits for the lock.
  await query(`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)%'
    and pid <> pg_backend_pid()`);
  const dumping = "select count(*)::int as n from pg_stat_activity where application_name = 'pg_dump'";
  await expect.poll(async () => (await query(dumping)).rows[0].n, { timeout: endsWithinMs }).toBe(0);
});

test('a deleted backup is gone from the list, and after a purge from the disk of its host', async () => {
  const { id, localPath } = await ended((await begin()).id);
  await readFile(localPath);
  expect(await ask('DELETE', `/backups/${id}`)).toEqual({ ok: true });
  expect(await filesOfHost()).toContain(id);
  await longshore.operate('POST', `/api/system/deleted/${id}/purge`);
  await expect.poll(filesOfHost, { timeout: endsWithinMs }).not.toContain(id);
  expect(await listed(id)).toBeUndefined();
  expect(await refusal('GET', `/backups/${id}/download`)).toEqual([404, 'not_found']);
});

test('a backup requested while the host is away is taken when it returns', async () => {
  await killNine(longshore.dataDirectory, ['runner']);
  const { id } = await begin();
  expect(await ended(id)).toMatchObject({ status: 'succeeded', rows: 10, error: null });
});

test('backup settings keep what a change omits, and backups that are due run on their own', async () => {
  const { settings } = shapes.backupsAnswer.parse(await ask('GET', '/backups'));
  expect(settings).toMatchObject({ automaticEnabled: false, storage: 'disk', serviceId: service.id });
  await ask('PATCH', '/backups/settings', { weeklyEnabled: true });
  const changed = await ask('PATCH', '/backups/settings', { automaticEnabled: true });
  expect(shapes.backupSettings.parse(changed.settings)).toMatchObject({
    automaticEnabled: true,
    dailyEnabled: false,
    weeklyEnabled: true,
  });
  expect((await ask('GET', '/backups')).settings).toEqual(changed.settings);
  const scheduled = async () =>
    (await ask('GET', '/backups')).backups.find(
      ({ trigger }: Json) => trigger !== 'manual' && trigger !== 'pre-restore',
    );
  await expect.poll(async () => (await scheduled())?.status, { timeout: cronWithinMs }).toBe('succeeded');
  expect(await scheduled()).toMatchObject({ trigger: 'weekly', storage: 'disk', rows: 10 });
});

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Another client that locks the table until it is ended: no dump of it can begin. */
async function holdLock(): Promise<void> {
  const sql = 'begin; lock table notes in access exclusive mode; select pg_sleep(600)';
  const client = await docker.getContainer(`longshore-${service.id}-stable`).exec({
    Cmd: ['sh', '-c', `exec psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c '${sql}'`],
  });
  await client.start({ Detach: true });
  const held = `select count(*)::int as n from pg_locks where relation = 'notes'::regclass
    and mode = 'AccessExclusiveLock' and granted`;
  await expect.poll(async () => (await query(held)).rows[0].n, { timeout: endsWithinMs }).toBe(1);
}
