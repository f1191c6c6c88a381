/** The tenant's backup key and the instance's encryption key are replaced between encrypted backups and their restores. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Decrypter } from 'age-encryption';
import { beforeAll, expect, test } from 'vitest';
import { databaseCalls } from '../support/instance/database-calls.ts';
import type { Json } from '../support/instance/longshore.ts';
import { changeStoppedRows } from '../support/instance/stopped-rows.ts';
import { useInstance } from '../support/instance/use-instance.ts';

/** Cron seals rows with the new key every five minutes. */
const resealedWithinMs = 360_000;
const longshore = useInstance();
let service: Json;
const { at, ask, call, query, backUp } = databaseCalls(longshore, () => service);
/** A key, a backup that it encrypts, and the number in the database at that time. */
type Taken = { key: Json; identity: string; backup: Json; number: number };
let older: Taken;
let newer: Taken;

const write = (number: number) => query(`update numbers set n = ${number}`);
const encryption = async () => (await longshore.operate('GET', '/api/system/encryption')).encryption;
const number = async () => (await query('select n from numbers')).rows[0].n;

async function taken(number: number): Promise<Taken> {
  const { backupKey: key, identity } = await longshore.ask('POST', '/api/backup-keys');
  await write(number);
  const backup = await backUp();
  expect(backup).toMatchObject({ status: 'succeeded', encryptedWith: key.id });
  return { key, identity, backup, number };
}

async function restored({ backup, number: was }: Taken): Promise<void> {
  await write(0);
  await ask('POST', `/backups/${backup.id}/restore`);
  expect(await number()).toBe(was);
}

beforeAll(async () => {
  service = await longshore.newDatabase('postgres');
  await query('create table numbers (n int)');
  await query('insert into numbers values (0)');
});

test('backups of both keys are restored after the second key was made', async () => {
  older = await taken(1);
  newer = await taken(2);
  await restored(older);
  await restored(newer);
});

test(
  'backups are restored and downloaded while ENCRYPTION_KEY is replaced, and after the old one is gone',
  async () => {
    const old = await encryption();
    await withSecrets(({ encryptionKey, ...others }) => ({
      ...others,
      encryptionKey: randomBytes(32).toString('base64url'),
      previousEncryptionKey: encryptionKey,
    }));
    await restored(older);
    await expect.poll(async () => (await encryption()).rowsToReseal, { timeout: resealedWithinMs }).toBe(0);
    await withSecrets(({ previousEncryptionKey: _, ...others }) => others);
    const now = await encryption();
    expect(now).toMatchObject({ previousKey: null, rowsWithoutKey: 0 });
    expect(now.key).not.toBe(old.key);
    await restored(newer);
    await restored(older);
    const plain = await longshore.download(at(`/backups/${older.backup.id}/download`));
    expect([plain.status, plain.headers.get('repr-digest')]).toEqual([200, null]);
    const bytes = Buffer.from(await plain.arrayBuffer());
    expect(bytes.equals(await decrypted(older))).toBe(true);
  },
  resealedWithinMs + 120_000,
);

test('a key that is lost is named with the way out, its owner still reads the file, and other backups are restored', async () => {
  const { key, backup } = older;
  await longshore.stop();
  const statement = 'delete from backup_keys where id = ?';
  expect(await changeStoppedRows(longshore, { table: 'backup_keys', statement }, key.id)).toBe(1);
  await longshore.start();
  await write(7);
  const lost = expect.stringMatching(
    new RegExp(`the key ${key.id}, which can't be opened.*\\?stored=true.*age -d -i`),
  );
  const refused = await call('POST', `/backups/${backup.id}/restore`);
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({ code: 'restore_failed', error: lost }),
  ]);
  expect(await call('GET', `/backups/${backup.id}/download`)).toMatchObject({
    status: 409,
    body: { error: lost },
  });
  expect(await number()).toBe(7);
  expect((await decrypted(older)).subarray(0, 13).toString()).toBe('manifest.json');
  await restored(newer);
});

/** The stored file, opened with the identity that its owner has kept. */
async function decrypted({ backup, identity }: Taken): Promise<Buffer> {
  const stored = await longshore.download(at(`/backups/${backup.id}/download?stored=true`));
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return Buffer.from(await decrypter.decrypt(new Uint8Array(await stored.arrayBuffer())));
}

/** Starts the instance again with other secrets, as docs/operate/rotate-keys.md says. */
async function withSecrets(change: (secrets: Json) => Json): Promise<void> {
  await longshore.stop();
  const path = join(longshore.dataDirectory, 'secrets.json');
  await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')))));
  await longshore.start();
}
