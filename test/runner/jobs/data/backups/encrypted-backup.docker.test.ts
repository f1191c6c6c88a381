/** Encrypted backups by the runner's own jobs, beside `encrypted-contract.ts`, which each engine's file of backups runs. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testId } from '../../../../support/docker/docker-host.ts';
import { withRedis } from '../../../../support/docker/redis-source.ts';
import { useDatabases } from '../../../../support/docker/use-databases.ts';
import { encryptedBackUp, encryptedContract, newKey } from './encrypted-contract.ts';

const { timescale, redis } = useDatabases({
  timescale: {
    engine: 'timescale',
    image: 'timescale/timescaledb:latest-pg17',
    env: { POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' },
    async beside(): Promise<string[]> {
      const names = await psql("SELECT datname FROM pg_database WHERE datname LIKE 'longshore_%'");
      return names === '' ? [] : names.split('\n');
    },
  },
  redis: { engine: 'redis', image: 'redis:8', env: { REDIS_PASSWORD: 'secret' } },
});
const psql = async (statement: string): Promise<string> =>
  (await timescale.printed(['psql', '-qAt', '-U', 'app', '-c', statement])).toString().trim();
const client = <T>(use: Parameters<typeof withRedis<T>>[1]) =>
  withRedis({ port: redis.port, password: 'secret' }, use);

encryptedContract({
  database: timescale,
  magic: 'manifest.json',
  setAnswer: (value) => psql(`DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT ${value} AS v`),
  answer: () => psql('SELECT v FROM t'),
});

test('a backup that was written before its tenant had a key is still restored', async () => {
  await client((one) => one.set('v', 'plain'));
  const backup = await redis.backUp();
  expect(backup.encryptedWith).toBeUndefined();
  const { encryption } = await newKey();
  const spec = { ...redis.restoreSpec(backup), encryption };
  expect(await redis.run(spec)).toMatchObject({ outcome: 'succeeded' });
  expect(await client((one) => one.get('v'))).toBe('plain');
});

test('an import of a file that is still encrypted is refused with the command that decrypts it', async () => {
  const backup = await encryptedBackUp(redis, await newKey());
  const stored = await readFile(redis.pathOf(backup.id));
  expect(await redis.importFile(stored, { safetyBackupId: testId('backup') })).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(
      /is encrypted in the age format.*age -d -i IDENTITY.*Nothing was changed/s,
    ),
  });
});
