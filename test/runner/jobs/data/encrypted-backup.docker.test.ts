/** Encrypted backups by the runner's own jobs, with real servers: an engine that swaps in place and one that loads a new volume. */
import { readFile } from 'node:fs/promises';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainBytesOf } from '../../../../protocol/backup-encryption.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { withRedis } from '../../../support/docker/redis-source.ts';
import { type Backup, type Database, useDatabases } from '../../../support/docker/use-databases.ts';

const canary = `canary-${'x'.repeat(40)}`;
const { postgres, redis } = useDatabases({
  postgres: {
    engine: 'postgres',
    image: 'postgres:17',
    env: { POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' },
  },
  redis: { engine: 'redis', image: 'redis:8', env: { REDIS_PASSWORD: 'secret' } },
});
const psql = async (statement: string) =>
  (await postgres.printed(['psql', '-qAt', '-U', 'app', '-c', statement])).toString().trim();
const client = <T>(use: Parameters<typeof withRedis<T>>[1]) =>
  withRedis({ port: redis.port, password: 'secret' }, use);

interface Scene {
  database: () => Database;
  magic: string;
  set(value: string): Promise<unknown>;
  get(): Promise<string | null>;
}
const scenes: [string, Scene][] = [
  [
    'PostgreSQL',
    {
      database: () => postgres,
      magic: 'manifest.json',
      // Stored outside its row and uncompressed, so that a plain dump would contain it.
      set: (value) => psql(`DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT '${value}'::text AS v`),
      get: () => psql('SELECT v FROM t'),
    },
  ],
  [
    'Redis',
    {
      database: () => redis,
      magic: 'REDIS',
      set: (value) => client((one) => one.set('v', value)),
      get: () => client((one) => one.get('v')),
    },
  ],
];

let identity: string;
let encryption: { keyId: string; recipient: string };
beforeAll(async () => {
  identity = await generateX25519Identity();
  encryption = { keyId: testId('backupKey'), recipient: await identityToRecipient(identity) };
});

async function backUp(database: Database): Promise<Backup> {
  const spec = { ...database.backupSpec(), encryption };
  const result = await database.run(spec);
  if (!('facts' in result && result.facts.archive)) throw new Error(JSON.stringify(result));
  return { id: spec.backupId, serviceId: spec.serviceId, ...result.facts.archive };
}

describe.each(scenes)('%s', (_, { database: find, magic, set, get }) => {
  test('the stored file is encrypted with the key that the backup names, and its identity alone opens it', async () => {
    const database = find();
    await set(canary);
    const backup = await backUp(database);
    expect(backup.encryptedWith).toBe(encryption.keyId);
    const stored = await readFile(database.pathOf(backup.id));
    expect(stored.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    expect([stored.includes(canary), stored.includes(magic)]).toEqual([false, false]);
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const plain = Buffer.from(await decrypter.decrypt(stored));
    expect([plain.length, plain.subarray(0, magic.length).toString()]).toEqual([
      plainBytesOf(backup.sizeBytes),
      magic,
    ]);
  });

  test('a drill and a restore read it, and the safety copy is encrypted, too', async () => {
    const database = find();
    await set(canary);
    const backup = await backUp(database);
    const open = { backupIdentity: identity };
    expect(await database.run(database.drillSpec(backup), open)).toMatchObject({ outcome: 'succeeded' });
    await set('later');
    const spec = { ...database.restoreSpec(backup), encryption };
    const archive = { encryptedWith: encryption.keyId };
    expect(await database.run(spec, open)).toMatchObject({ outcome: 'succeeded', facts: { archive } });
    expect(await get()).toBe(canary);
    const safety = await readFile(database.pathOf(spec.safetyBackupId));
    expect(safety.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    await database.removeOldData();
  });

  test('a restore with another key, or none, is refused by the name of the key, and nothing is changed', async () => {
    const database = find();
    await set(canary);
    const backup = await backUp(database);
    await set('live');
    for (const backupIdentity of [await generateX25519Identity(), undefined]) {
      const opener = backupIdentity === undefined ? {} : { backupIdentity };
      expect(await database.run(database.restoreSpec(backup), opener)).toMatchObject({
        code: 'backup_damaged',
        message: expect.stringMatching(new RegExp(`needs the key ${encryption.keyId}.*Nothing was changed`)),
      });
    }
    expect(await get()).toBe('live');
    expect(await database.belongings()).toEqual(database.alone());
  });
});

test('a backup that was written before its tenant had a key is still restored', async () => {
  await client((one) => one.set('v', 'plain'));
  const backup = await redis.backUp();
  expect(backup.encryptedWith).toBeUndefined();
  const spec = { ...redis.restoreSpec(backup), encryption };
  expect(await redis.run(spec)).toMatchObject({ outcome: 'succeeded' });
  expect(await client((one) => one.get('v'))).toBe('plain');
});

test('an import of a file that is still encrypted is refused with the command that decrypts it', async () => {
  const stored = await readFile(redis.pathOf((await backUp(redis)).id));
  expect(await redis.importFile(stored, { safetyBackupId: testId('backup') })).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(
      /is encrypted in the age format.*age -d -i IDENTITY.*Nothing was changed/s,
    ),
  });
});
