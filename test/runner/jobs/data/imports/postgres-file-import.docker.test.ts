/** PostgreSQL from files that a user brings, by the runner's own job and the server's own tools. */
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { testId } from '../../../../support/docker/docker-host.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { storedNumbers } from '../../../engines/numbers/numbers-contract.ts';
import { postgresNumbers, postgresNumbersSchema } from '../../../engines/numbers/postgres-numbers.ts';
import { fileImportContract } from './file-import-contract.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' };
const toolEnv = { PGUSER: 'app', PGPASSWORD: 'secret', PGHOST: '127.0.0.1' };
const database = useDatabase({
  ...{ engine: 'postgres', image: 'postgres:17', env },
  beside: () => names("SELECT datname FROM pg_database WHERE datname LIKE 'longshore_restore_%'"),
});
const port = () => database.port;
const numbers = storedNumbers(postgresNumbers, { engine: 'postgres', env }, port);
const numbersElsewhere = storedNumbers(
  postgresNumbers,
  { engine: 'postgres', env: { ...env, POSTGRES_DB: 'elsewhere' } },
  port,
);
/** Of another database, with a role that does not exist any more. */
let dump: Buffer;

beforeAll(async () => {
  await sql('CREATE DATABASE elsewhere');
  await sql(
    `CREATE ROLE stranger; CREATE TABLE kept (answer int PRIMARY KEY); INSERT INTO kept VALUES (42);
    ALTER TABLE kept OWNER TO stranger; GRANT SELECT ON kept TO stranger;
    CREATE VIEW seen AS SELECT answer FROM kept;
    CREATE TABLE many AS SELECT n, repeat(md5(n::text), 20) AS fill FROM generate_series(1, 20000) n;`,
    'elsewhere',
  );
  await sql(postgresNumbersSchema, 'elsewhere');
  await numbersElsewhere.put();
  dump = await pgDump('-Fc', 'elsewhere');
  await sql('DROP DATABASE elsewhere WITH (FORCE)');
  await sql('DROP ROLE stranger');
});

const pgDump = (format: string, name = 'app') =>
  database.printed(['pg_dump', format, '--dbname', name], toolEnv);

async function sql(text: string, name = 'app'): Promise<Record<string, unknown>[]> {
  const login = { user: 'app', password: 'secret', database: name };
  const client = new pg.Client({ host: '127.0.0.1', port: database.port, ...login });
  client.on('error', () => {}); // its session is ended by an import
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
const names = async (text: string) => (await sql(text)).flatMap((row) => Object.values(row).map(String));
const tables = () => names("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");

const wanted = /(?:not|but must be) a custom-format dump of pg_dump: make it with pg_dump -Fc\. Nothing was/;

fileImportContract({
  database,
  files: [['a dump made with pg_dump -Fc', () => dump]],
  empty: () =>
    sql(
      'DROP VIEW IF EXISTS seen; DROP TABLE IF EXISTS kept, many, mine, numbers; DROP DOMAIN IF EXISTS price',
    ),
  putMine: () => sql('CREATE TABLE mine AS SELECT 1 AS n'),
  holds: tables,
  mine: ['mine'],
  imported: ['kept', 'many', 'numbers'],
  async expectImported() {
    expect(await sql('SELECT answer FROM seen')).toEqual([{ answer: 42 }]);
    await numbers.expectSame();
    expect(await sql('SELECT count(*)::int AS n FROM many')).toEqual([{ n: 20_000 }]);
    expect(await names("SELECT tableowner FROM pg_tables WHERE tablename = 'kept'")).toEqual(['app']);
    expect(await names("SELECT 1 FROM pg_roles WHERE rolname = 'stranger'")).toEqual([]);
  },
  refused: [
    ['plain SQL', () => pgDump('-Fp'), /file is plain SQL, but must be/],
    ['plain SQL behind gzip', async () => gzipSync(await pgDump('-Fp')), /compressed by gzip, but must be/],
    ['a tar', () => pgDump('-Ft'), /a dump in the format tar, but must be/],
    ['a text', () => Buffer.from('Dear reader,\n'), wanted],
    ['one byte', () => Buffer.from('P'), wanted],
    ['the beginning of a dump', () => dump.subarray(0, 40), /pg_restore ended with exit code/],
    ['a dump whose end is missing', () => dump.subarray(0, -2000), /pg_restore ended with exit code/],
    [
      'a dump with 64 bytes overwritten',
      () => Buffer.from(dump).fill(0xff, dump.length >> 1, (dump.length >> 1) + 64),
      /pg_restore/,
    ],
  ],
});

test('a dump that can only be loaded in part is not loaded at all', async () => {
  await sql('CREATE TABLE mine (n int, CHECK (n > 0)); INSERT INTO mine VALUES (1)');
  await sql('CREATE ROLE reader; ALTER TABLE mine ENABLE ROW LEVEL SECURITY');
  await sql('CREATE POLICY p ON mine TO reader USING (true)');
  const needsRole = await pgDump('-Fc');
  await sql('DROP POLICY p ON mine; DROP ROLE reader');
  expect(await database.importFile(needsRole, { safetyBackupId: testId('backup') })).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/role "reader" does not exist.*Nothing was changed/s),
  });
  expect(await tables()).toEqual(['mine']);
  expect(await database.belongings()).toEqual(database.alone());
});

const refused = `CREATE TABLE mine (n int); INSERT INTO mine VALUES (1), (2);
  CREATE FUNCTION helper(t text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper(t)';
  CREATE FUNCTION outer_one(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN helper(t); END';
  CREATE TABLE generated (t text, big text GENERATED ALWAYS AS (outer_one(t)) STORED); INSERT INTO generated VALUES ('a');`;
const leftOut = 'COPY failed for table "generated": ERROR:  function helper(text) does not exist.';

test.each([
  ['a dump', () => pgDump('-Fc'), [leftOut]],
  [
    'a backup of Longshore',
    () => database.backUpBytes(),
    [leftOut, 'The source has 3 rows in 2 tables, but 2 rows in 2 tables were loaded.'],
  ],
])(
  'with continueOnError, %s is loaded without what PostgreSQL refuses, and the report names that',
  async (_, make, skipped) => {
    await sql(refused);
    const file = await make();
    await sql('DROP TABLE mine, generated; DROP FUNCTION outer_one; DROP FUNCTION helper');
    expect(await database.importFile(file)).toMatchObject({ code: 'import_failed' });
    expect(await database.importFile(file, { continueOnError: true })).toMatchObject({
      outcome: 'succeeded',
      facts: { skipped },
    });
    expect(await sql('SELECT n FROM mine ORDER BY 1')).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await sql('SELECT count(*)::int AS n FROM generated')).toEqual([{ n: 0 }]);
    await sql('DROP TABLE mine, generated; DROP FUNCTION outer_one; DROP FUNCTION helper');
    await database.removeOldData();
  },
);
