/** Backups and restores of PostgreSQL by the runner's own jobs: the real server, real files. */
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';
import { backupContract } from './backup-contract.ts';

const env = { POSTGRES_DB: 'we-ird "db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pä"s\'s\\ 1' };
const database = useDatabase({
  ...{ engine: 'postgres', image: 'postgres:17', env },
  async beside() {
    const found = await sql<{ name: string }>(
      "SELECT datname AS name FROM pg_database WHERE datname LIKE 'longshore_%'",
    );
    return found.map(({ name }) => name);
  },
});
/** A client's session that stays open while a restore exchanges the database. */
let bystander: pg.Client;

const connected = async () => {
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name } = env;
  const client = new pg.Client({ host: '127.0.0.1', port: database.port, user, password, database: name });
  client.on('error', () => {}); // its session is ended by a restore
  await client.connect();
  return client;
};
async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = await connected();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
const answers = async () => (await sql('SELECT answer FROM kept ORDER BY 1')).map(({ answer }) => answer);
const setAnswer = (value: number) => sql(`DELETE FROM kept; INSERT INTO kept VALUES (${value})`);

beforeAll(async () => {
  await sql(`CREATE TABLE kept (answer int PRIMARY KEY); INSERT INTO kept VALUES (42);
    CREATE SCHEMA "we-ird ""s"; CREATE TABLE "we-ird ""s"."t ; --" (v text, j jsonb, b bytea, at timestamptz);
    INSERT INTO "we-ird ""s"."t ; --" VALUES ('päß', '{"a": 12345678901234567890}', '\\x00ff', 'infinity'), (NULL, NULL, NULL, '4713-01-01 00:00:00 BC');
    CREATE TABLE parted (at date, v int) PARTITION BY RANGE (at);
    CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    INSERT INTO parted VALUES ('2026-05-01', 1), ('2026-06-01', 2);
    CREATE VIEW seen AS SELECT * FROM kept;`);
});

backupContract({
  database,
  magic: 'manifest.json',
  counts: { tables: 3, rows: 5 },
  answer: async () => (await answers()).join(),
  setAnswer,
  async damage() {
    await sql('DROP TABLE parted; DROP VIEW seen; CREATE TABLE since (n int)');
    bystander = await connected();
  },
  async expectWhole() {
    await bystander?.end().catch(() => {});
    expect(await answers()).toEqual([42]);
    expect(await sql('SELECT v, b, at::text FROM "we-ird ""s"."t ; --" WHERE v IS NOT NULL')).toEqual([
      { v: 'päß', b: Buffer.from([0, 255]), at: 'infinity' },
    ]);
    expect(await sql('SELECT * FROM parted')).toHaveLength(2);
    expect(await sql('SELECT * FROM seen')).toEqual([{ answer: 42 }]);
    expect(await sql("SELECT 1 FROM pg_tables WHERE tablename = 'since'")).toEqual([]);
  },
});

test('a restore whose server dies while it loads reports it, and leaves no database once the server is back', async () => {
  // Loading its one row takes until the end of the server.
  await sql(`CREATE FUNCTION held(int) RETURNS boolean LANGUAGE sql
      AS $$ SELECT pg_sleep(CASE WHEN current_database() LIKE 'longshore%' THEN 3600 ELSE 0 END) IS NOT NULL $$;
    CREATE TABLE slow (v int CHECK (public.held(v))); INSERT INTO slow VALUES (1)`);
  const backup = await database.backUp();
  await sql('DROP TABLE slow; DROP FUNCTION held');
  const running = database.run(database.restoreSpec(backup));
  const isHeld = "SELECT 1 FROM pg_stat_activity WHERE datname LIKE 'longshore%' AND wait_event = 'PgSleep'";
  await expect.poll(() => sql(isHeld), { timeout: 60_000 }).toHaveLength(1);
  const container = database.fixture.parts.docker.engine.getContainer(stable(database.live));
  await container.kill();
  await container.start();
  expect(await running).toMatchObject({
    code: 'restore_failed',
    message: expect.stringMatching(
      // Whichever the tool meets first: its container's end, or that of its connection.
      /(without a message.*database is stopped|connection has been closed).*[^.]\. Nothing was changed\.$/,
    ),
  });
  expect(await database.belongings()).toEqual(database.alone());
  expect(await answers()).toEqual([42]);
});

test('a restore removes what an earlier one could not, and nothing that was put aside', async () => {
  await sql('CREATE DATABASE longshore_restore_left');
  await sql('CREATE DATABASE longshore_before_kept');
  const context = testContext({ grant: async () => false });
  expect(await database.run(database.restoreSpec(await database.backUp()), { context })).toMatchObject({
    code: 'switch_denied',
  });
  expect(await database.belongings()).toEqual(database.alone({ beside: ['longshore_before_kept'] }));
  await sql('DROP DATABASE longshore_before_kept');
});
