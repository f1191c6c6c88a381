/** Imports into PostgreSQL by the runner's own job: two real servers, of which one is only read. */
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { ContainerTools } from '../../../../../runner/engines/container-tools.ts';
import { postgresData } from '../../../../../runner/engines/postgres/data.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { postgresRows } from '../../../../support/postgres-client.ts';
import { importContract } from './import-contract.ts';

const postgres = { engine: 'postgres', image: 'postgres:17' } as const;
const sourceEnv = { POSTGRES_DB: 'sh=op "1', POSTGRES_USER: 'old user', POSTGRES_PASSWORD: 'pä"s/s@\\ 1' };
const targetEnv = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'own-password' };
const { target, source } = useDatabases({
  source: { ...postgres, env: sourceEnv },
  target: {
    ...{ ...postgres, env: targetEnv },
    beside: () => names("SELECT datname FROM pg_database WHERE datname LIKE 'longshore_restore_%'"),
  },
});
/** An address of the source that containers reach too. */
let sourceAddress: string;

beforeAll(async () => {
  sourceAddress = (await source.place()).address.host;
  await sql(
    source,
    `CREATE ROLE other; CREATE TABLE kept (answer int PRIMARY KEY); INSERT INTO kept VALUES (42);
    ALTER TABLE kept OWNER TO other; GRANT SELECT ON kept TO PUBLIC;
    CREATE SCHEMA "we-ird ""s"; CREATE TABLE "we-ird ""s"."t ; --" (v text, b bytea);
    INSERT INTO "we-ird ""s"."t ; --" VALUES ('päß', '\\x00ff'), (NULL, NULL);
    CREATE TABLE many AS SELECT g AS id, repeat('x', 500) AS fill FROM generate_series(1, 20000) g;`,
  );
});

const sql = <Row extends pg.QueryResultRow>(of: Database, text: string) =>
  postgresRows<Row>(of, of === source ? sourceEnv : targetEnv, text);
const names = async (text: string): Promise<string[]> =>
  (await sql<Record<string, string>>(target, text)).flatMap((row) => Object.values(row));

const urlTo = ({ host = sourceAddress, password = sourceEnv.POSTGRES_PASSWORD, query = '' } = {}) => {
  const login = [sourceEnv.POSTGRES_USER, password].map(encodeURIComponent).join(':');
  return `postgresql://${login}@${host}:5432/${encodeURIComponent(sourceEnv.POSTGRES_DB)}${query}`;
};
const importFrom = (sourceUrl = urlTo()) =>
  target.run(target.importSpec({ source: 'postgres-url' }), { sourceUrl });
const tables = () =>
  names(
    "SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
  );

importContract({
  ...{ target, source: 'postgres-url', url: urlTo },
  empty: () =>
    sql(target, 'DROP SCHEMA IF EXISTS "we-ird ""s" CASCADE; DROP TABLE IF EXISTS kept, many, mine'),
  putMine: () => sql(target, 'CREATE TABLE mine (v int); INSERT INTO mine VALUES (1), (2)'),
  holds: tables,
  mine: ['mine'],
  imported: ['kept', 'many', 't ; --'],
  async expectImported() {
    expect(await tables()).toEqual(['kept', 'many', 't ; --']);
    expect(await sql(target, 'SELECT v, b FROM "we-ird ""s"."t ; --" WHERE v IS NOT NULL')).toEqual([
      { v: 'päß', b: Buffer.from([0, 255]) },
    ]);
    expect(await sql(target, 'SELECT count(*)::int AS n, max(fill) AS fill FROM many')).toEqual([
      { n: 20_000, fill: 'x'.repeat(500) },
    ]);
    const owner = "SELECT tableowner FROM pg_tables WHERE tablename = 'kept'";
    expect(await names(owner), 'everything is owned by the user of the database').toEqual(['app']);
    expect(await sql(source, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  },
  refusedHosts: ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433'],
  wrongPassword: { code: 'import_failed', words: /password authentication failed/ },
  copying: {
    async slowDown() {
      await sql(
        source,
        `CREATE FUNCTION slow(int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
          IF current_database() LIKE 'longshore_%' THEN PERFORM pg_sleep(0.1); END IF; RETURN true; END $$;
        ALTER TABLE many ADD CONSTRAINT slow CHECK (slow(id))`,
      );
      return () => sql(source, 'ALTER TABLE many DROP CONSTRAINT slow; DROP FUNCTION slow');
    },
    begun: () =>
      names(
        "SELECT 1 FROM pg_stat_activity WHERE datname LIKE 'longshore_restore_%' AND application_name = 'pg_restore'",
      ),
    reading: () =>
      sql(source, "SELECT 1 FROM pg_stat_activity WHERE application_name IN ('pg_dump', 'longshore import')"),
  },
});

test('a source without the TLS that its URL asks for fails to open', async () => {
  expect(await importFrom(urlTo({ query: '?sslmode=verify-full' }))).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/could not be opened/),
  });
  expect(await tables()).toEqual([]);
});

test('an import that the target refuses halfway reports the error of the target', async () => {
  await sql(
    source,
    `CREATE FUNCTION at_home(int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
      IF $1 > 10 AND current_database() LIKE 'longshore_%' THEN RAISE 'not away from home'; END IF; RETURN true; END $$;
    ALTER TABLE many ADD CONSTRAINT home CHECK (at_home(id))`,
  );
  try {
    expect(await importFrom()).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/^pg_restore .*not away from home(.|\n)*Nothing was changed\.$/),
    });
    expect(await tables()).toEqual([]);
    expect(await target.belongings()).toEqual(target.alone());
  } finally {
    await sql(source, 'ALTER TABLE many DROP CONSTRAINT home; DROP FUNCTION at_home');
  }
});

test('a source that is newer than the tools is refused with both versions', async () => {
  const older: ContainerTools = {
    async run(_command, { stdout }) {
      stdout?.end('pg_dump (PostgreSQL) 16.4 (Debian 16.4-1)\n');
      return { code: 0, stderr: '' };
    },
  };
  const place = { ...(await target.place()), tools: older };
  const from = { url: urlTo(), addressOf: async (host: string) => host };
  await expect(postgresData.urlImport.load(place, from, { suffix: 'older' })).rejects.toThrow(
    /The source runs PostgreSQL 17\.\d.*this database 16\.4/,
  );
  expect(await target.belongings()).toEqual(target.alone());
});

test('a source with an extension that the target lacks is refused by its name', async () => {
  // What an extension is called is all that is looked at.
  await sql(
    source,
    "CREATE EXTENSION pg_trgm; UPDATE pg_extension SET extname = 'of_another_image' WHERE extname = 'pg_trgm'",
  );
  try {
    expect(await importFrom()).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/does not have: of_another_image/),
    });
  } finally {
    await sql(
      source,
      "UPDATE pg_extension SET extname = 'pg_trgm' WHERE extname = 'of_another_image'; DROP EXTENSION pg_trgm",
    );
  }
});

test('with continueOnError, a source is imported without what PostgreSQL refuses, and the report names that', async () => {
  await sql(
    source,
    `CREATE FUNCTION helper(t text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper(t)';
    CREATE FUNCTION outer_one(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN helper(t); END';
    CREATE TABLE generated (t text, big text GENERATED ALWAYS AS (outer_one(t)) STORED); INSERT INTO generated VALUES ('a')`,
  );
  await sql(target, 'DROP SCHEMA IF EXISTS "we-ird ""s" CASCADE; DROP TABLE IF EXISTS kept, many, mine');
  expect(await importFrom()).toMatchObject({ code: 'import_failed' });
  const spec = target.importSpec({ source: 'postgres-url', continueOnError: true });
  expect(await target.run(spec, { sourceUrl: urlTo() })).toMatchObject({
    outcome: 'succeeded',
    facts: {
      skipped: [
        'COPY failed for table "generated": ERROR:  function helper(text) does not exist.',
        'The source has 20004 rows in 4 tables, but 20003 rows in 4 tables were loaded.',
      ],
    },
  });
  expect(await sql(target, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await sql(target, 'SELECT count(*)::int AS n FROM generated')).toEqual([{ n: 0 }]);
  const wrong = target.importSpec({
    source: 'postgres-url',
    continueOnError: true,
    safetyBackupId: testId('backup'),
  });
  const elsewhere = urlTo({ password: 'wrong-password' });
  expect(await target.run(wrong, { sourceUrl: elsewhere })).toMatchObject({ code: 'import_failed' });
  await sql(source, 'DROP TABLE generated; DROP FUNCTION outer_one; DROP FUNCTION helper');
  await target.removeOldData();
});
