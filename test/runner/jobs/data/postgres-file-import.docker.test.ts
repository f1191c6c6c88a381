/** PostgreSQL from files that a user brings, by the runner's own job and the server's own tools. */
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { testId } from '../../support/docker-host.ts';
import { type FileImportBench, fileImportBench } from '../../support/file-import.ts';
import { testContext } from '../../support/job-context.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' };
const toolEnv = { PGUSER: 'app', PGPASSWORD: 'secret', PGHOST: '127.0.0.1' };
let bench: FileImportBench;
/** Of another database, with a role that is not there any more. */
let dump: Buffer;

beforeAll(async () => {
  bench = await fileImportBench('postgres', 'postgres:17', env);
  await sql('CREATE DATABASE elsewhere');
  await sql(
    `CREATE ROLE stranger; CREATE TABLE kept (answer int PRIMARY KEY); INSERT INTO kept VALUES (42);
    ALTER TABLE kept OWNER TO stranger; GRANT SELECT ON kept TO stranger;
    CREATE VIEW seen AS SELECT answer FROM kept;
    CREATE TABLE many AS SELECT n, repeat(md5(n::text), 20) AS fill FROM generate_series(1, 20000) n;`,
    'elsewhere',
  );
  dump = await pgDump('-Fc', 'elsewhere');
  await sql('DROP DATABASE elsewhere WITH (FORCE)');
  await sql('DROP ROLE stranger');
});
afterAll(() => bench?.fixture.remove());
beforeEach(() => sql('DROP VIEW IF EXISTS seen; DROP TABLE IF EXISTS kept, many, mine'));

const pgDump = (format: string, database = 'app') =>
  bench.printed(['pg_dump', format, '--dbname', database], { env: toolEnv });

async function sql(text: string, database = 'app'): Promise<Record<string, unknown>[]> {
  const login = { user: 'app', password: 'secret', database };
  const client = new pg.Client({ host: '127.0.0.1', port: bench.live.hostPort, ...login });
  client.on('error', () => {}); // its session is ended by an import
  await client.connect();
  return await client.query(text).then(
    async ({ rows }) => {
      await client.end();
      return rows;
    },
    async (error) => {
      await client.end();
      throw error;
    },
  );
}

const databases = async () =>
  (await sql("SELECT datname FROM pg_database WHERE datname LIKE 'longshore_restore_%'")).length;
const tables = async () =>
  (await sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).map(
    ({ tablename }) => tablename,
  );

describe('a dump that a user has made with pg_dump -Fc', () => {
  test('fills the database, owned by its user; its roles and grants are not made, and no file stays', async () => {
    const context = testContext();
    const checksum = `sha256:${createHash('sha256').update(dump).digest('hex')}`;
    const file = { sizeBytes: dump.length, checksum };
    expect(await bench.run(dump, { file }, context)).toMatchObject({ outcome: 'succeeded' });
    expect([...new Set(context.phases.map(({ phase }) => phase))]).toEqual([
      ...['fetch', 'safeguard', 'load', 'prove', 'switch'],
    ]);
    expect(await sql('SELECT answer FROM seen')).toEqual([{ answer: 42 }]);
    expect(await sql('SELECT count(*)::int AS n FROM many')).toEqual([{ n: 20_000 }]);
    expect(await sql("SELECT tableowner FROM pg_tables WHERE tablename = 'kept'")).toEqual([
      { tableowner: 'app' },
    ]);
    expect(await sql("SELECT 1 FROM pg_roles WHERE rolname = 'stranger'")).toEqual([]);
    expect([await bench.files(), await databases()]).toEqual([[], 0]);
  });

  test('replaces what is there after a backup of it; without that word it is refused', async () => {
    await sql('CREATE TABLE mine AS SELECT 1 AS n');
    expect(await bench.run(dump)).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/holds 1 rows in 1 tables.*Nothing was changed/),
    });
    const safetyBackupId = testId('backup');
    const done = await bench.run(dump, { safetyBackupId });
    expect(done).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 1 } } });
    expect(await tables()).toEqual(['kept', 'many']);
    expect(await bench.files()).toEqual([safetyBackupId]);
    await rm(backupPath(bench.fixture.host.dataDirectory, bench.live.serviceId, safetyBackupId));
  });
});

describe('what is no whole dump of that kind is refused before anything is touched, with the way out', () => {
  const wanted = /what is taken is a custom-format dump of pg_dump: make it with pg_dump -Fc\. Nothing was/;
  test.each([
    ['plain SQL', async () => pgDump('-Fp'), /file is plain SQL; what is taken/],
    ['plain SQL behind gzip', async () => gzipSync(await pgDump('-Fp')), /compressed by gzip; what is taken/],
    ['a tar', async () => pgDump('-Ft'), /a dump in the format tar; what is taken/],
    ['a text', async () => Buffer.from('Dear reader,\n'), wanted],
    ['one byte', async () => Buffer.from('P'), wanted],
    ['the beginning of a dump', async () => dump.subarray(0, 40), /pg_restore ended with exit code/],
    ['a dump whose end is missing', async () => dump.subarray(0, -2000), /pg_restore ended with exit code/],
    [
      'a dump with a byte flipped',
      async () =>
        Buffer.from(dump).fill(dump[dump.length >> 1] ?? 0 ^ 0xff, dump.length >> 1, (dump.length >> 1) + 64),
      /pg_restore/,
    ],
  ])('%s', async (_, bytes, why) => {
    await sql('CREATE TABLE mine AS SELECT 1 AS n');
    const context = testContext();
    const refused = await bench.run(await bytes(), { safetyBackupId: testId('backup') }, context);
    expect(refused).toMatchObject({
      outcome: 'threw',
      code: expect.stringMatching(/^import_(refused|failed)$/),
      message: expect.stringMatching(why),
    });
    expect(new Set(context.phases.map(({ phase }) => phase))).toEqual(new Set(['fetch']));
    expect([await tables(), await bench.files(), await databases()]).toEqual([['mine'], [], 0]);
  });

  test('other bytes than were announced', async () => {
    const file = { sizeBytes: dump.length, checksum: `sha256:${'0'.repeat(64)}` };
    expect(await bench.run(dump, { file })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/was announced with sha256:0+.*Nothing was changed/),
    });
    const longer = { sizeBytes: dump.length + 1, checksum: null };
    expect(await bench.run(dump, { file: longer })).toMatchObject({ code: 'import_failed' });
    expect([await tables(), await bench.files()]).toEqual([[], []]);
  });
});

test('a dump that can only be loaded in part is loaded not at all', async () => {
  await sql('CREATE TABLE mine (n int, CHECK (n > 0)); INSERT INTO mine VALUES (1)');
  await sql('CREATE ROLE reader; ALTER TABLE mine ENABLE ROW LEVEL SECURITY');
  await sql('CREATE POLICY p ON mine TO reader USING (true)');
  const needsRole = await pgDump('-Fc');
  await sql('DROP POLICY p ON mine; DROP ROLE reader');
  const refused = await bench.run(needsRole, { safetyBackupId: testId('backup') });
  expect(refused).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/role "reader" does not exist.*Nothing was changed/s),
  });
  expect([await tables(), await databases()]).toEqual([['mine'], 0]);
});

test('an import that is aborted while it fetches, and one whose runner died, leave no file', async () => {
  const before = await bench.files();
  const context = testContext();
  context.abort();
  expect(await bench.run(dump, {}, context)).toMatchObject({ message: 'job stopped: aborted' });
  const spec = bench.spec(dump);
  const path = backupPath(bench.fixture.host.dataDirectory, bench.live.serviceId, spec.importId);
  await writeFile(`${path}.uploaded.part`, 'half');
  await writeFile(`${path}.uploaded`, 'whole');
  expect(await bench.recover(spec)).toMatchObject({ code: 'runner_restarted' });
  expect([await bench.files(), await tables()]).toEqual([before, []]);
});
