/** What administrators set up around the tables, and dumps forget: a restore brings it back, or the backup names it. */
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, test, vi } from 'vitest';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';

const image = {
  ...{ engine: 'postgres' as const, image: 'postgres:17' },
  env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' },
};
const { server, elsewhere } = useDatabases({ server: image, elsewhere: image });

/** Event triggers for logins do not run, so that looking leaves no rows. */
async function psql(database: Database, name: string, script: string, options = '-c event_triggers=off') {
  const place = await database.place();
  const stdout = new PassThrough();
  const printed = buffer(stdout);
  const { code, stderr } = await place.tools.run(['psql', '-v', 'ON_ERROR_STOP=1', '-qAt', '-d', name], {
    ...{ env: { PGUSER: 'app', PGOPTIONS: options }, stdout, signal: place.signal },
    stdin: (async function* () {
      yield Buffer.from(script);
    })(),
  });
  if (code !== 0) throw new Error(stderr);
  return (await printed).toString().trim();
}

const notKept = [
  'The settings, grants and limit of the database template1.',
  'The setting lock_timeout of ALTER ROLE ALL.',
  'The grants, options and comment of the tablespace pg_default.',
  'The replication origin my origin.',
  expect.stringMatching(/^The foreign keys of the tables child in the database app are disabled/),
  expect.stringMatching(/^The indexes half_made in the database app, which are not valid/),
  expect.stringContaining('materialized views in the database zone'),
];

beforeAll(async () => {
  const script = await readFile(new URL('postgres-administration.sql', import.meta.url), 'utf8');
  await psql(server, 'app', script, '');
}, 120_000);

test('a restore brings back databases whose settings, event triggers and encodings disturb dumps', async () => {
  const days = await psql(server, 'zone', 'SELECT * FROM days ORDER BY 1');
  const backup = await server.backUp();
  expect(backup).toMatchObject({ notKept });
  for (const database of [server, elsewhere]) {
    expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    expect(await psql(database, 'zone', 'SELECT * FROM days ORDER BY 1')).toBe(days);
    expect(await psql(database, 'narrow', 'SET client_encoding = UTF8; SELECT price FROM t')).toBe('5 €');
    expect(await psql(database, 'disguised', 'RESET role; SET role = app; SELECT a FROM secret')).toBe('1');
    expect(await psql(database, 'watched', 'SELECT evtenabled FROM pg_event_trigger')).toBe('A');
    expect(await psql(database, 'watched', 'SELECT count(*) > 0 FROM logins', '')).toBe('t');
    const kept = `SELECT count(*) FROM pg_db_role_setting, unnest(setconfig) s WHERE s ~ 'event_triggers|longshore'`;
    expect(await psql(database, 'app', kept)).toBe('0');
  }
});

test('a restore that fails removes databases whose event triggers refuse drops, and later what it could only drop half-way', async () => {
  await psql(server, 'zone', `ALTER DATABASE zone RESET app.tenant`);
  const backup = await server.backUp();
  const spec = elsewhere.restoreSpec(backup);
  expect(await elsewhere.run(spec)).toMatchObject({ code: 'restore_failed' });
  const left = `SELECT count(*) FROM pg_database WHERE datname LIKE 'longshore_restore_%'`;
  expect(await psql(elsewhere, 'app', left)).toBe('0');
  const name = `longshore_restore_${spec.restoreId.replace(/^.*_/, '')}`;
  for (const made of [name, `${name}_1`]) await psql(elsewhere, 'app', `CREATE DATABASE ${made}`);
  // As PostgreSQL leaves a database whose drop has failed.
  await psql(elsewhere, 'app', `UPDATE pg_database SET datconnlimit = -2 WHERE datname = '${name}'`);
  await elsewhere.removeOldData();
  expect(await psql(elsewhere, 'app', left)).toBe('0');
});

test('a backup names what was changed in extensions, in objects of PostgreSQL itself and in postgresql.conf', async () => {
  await psql(
    elsewhere,
    'app',
    `CREATE EXTENSION hstore; CREATE FUNCTION ours() RETURNS int LANGUAGE sql AS 'SELECT 1';
    ALTER EXTENSION hstore ADD FUNCTION ours(); ALTER EXTENSION hstore DROP FUNCTION slice(hstore, text[]);
    COMMENT ON FUNCTION hstore(text, text) IS 'ours'; COMMENT ON EXTENSION hstore IS 'kept';
    CREATE SCHEMA apart; CREATE EXTENSION citext SCHEMA apart; COMMENT ON SCHEMA public IS 'kept';
    COMMENT ON FUNCTION pg_catalog.now() IS 'ours'; COMMENT ON SCHEMA pg_catalog IS 'ours'; COMMENT ON LANGUAGE sql IS NULL;
    COMMENT ON ROLE pg_monitor IS 'ours'; COMMENT ON ROLE app IS 'kept'; COMMENT ON DATABASE template1 IS 'ours';
    SET allow_system_table_mods = on;
    INSERT INTO pg_seclabel VALUES ('now()'::regprocedure, 'pg_proc'::regclass, 0, 'own', 'secret');
    INSERT INTO pg_shseclabel VALUES ('app'::regrole, 'pg_authid'::regclass, 'own', 'secret')`,
  );
  await psql(elsewhere, 'template1', `COMMENT ON LANGUAGE plpgsql IS 'ours'`);
  await psql(elsewhere, 'postgres', `CREATE EXTENSION pg_trgm; COMMENT ON TYPE int IS 'ours'`);
  const edit = `sed -i 's/^max_connections = 100/max_connections = 101/; s/^lc_time = .*/lc_time = POSIX/' "$PGDATA/postgresql.conf"; echo "log_min_messages = error" >> "$PGDATA/postgresql.conf"`;
  await elsewhere.printed(['sh', '-c', edit]);
  const { notKept: found } = (await elsewhere.backUp()) as { notKept?: string[] };
  const here = 'The comments on objects of PostgreSQL itself that were changed in';
  // The databases of the test before are here, too.
  expect(found?.filter((each) => !/materialized|tablespace/.test(each))).toEqual([
    'Settings that were edited in postgresql.conf: lc_time, log_min_messages, max_connections. "engineSettings" stay with the service.',
    `${here} the server: database template1, role pg_monitor.`,
    'The security labels on objects of PostgreSQL itself that were changed in the server: role app.',
    `${here} the database template1: language plpgsql.`,
    `${here} the database app: function pg_catalog.now(), schema pg_catalog, language sql.`,
    'The security labels on objects of PostgreSQL itself that were changed in the database app: function pg_catalog.now().',
    `${here} the database postgres: type integer.`,
    expect.stringMatching(
      /^Objects that were added to the extension hstore in the database app, .*: function public\.ours\(\)\. /,
    ),
    expect.stringMatching(
      /^A restore makes these objects again, .* function public\.slice\(public\.hstore,pg_catalog\.text\[\]\)\. /,
    ),
    'Changes of the objects of the extension hstore in the database app (their text, columns or comments): function public.hstore(pg_catalog.text,pg_catalog.text).',
  ]);
  await psql(elsewhere, 'app', 'ALTER EXTENSION hstore ADD FUNCTION slice(hstore, text[])');
  const again = await elsewhere.backUp();
  await psql(elsewhere, 'postgres', 'DROP EXTENSION pg_trgm');
  expect(await elsewhere.run(elsewhere.restoreSpec(again))).toMatchObject({ outcome: 'succeeded' });
  expect(await psql(elsewhere, 'postgres', 'SELECT extname FROM pg_extension ORDER BY 1')).toContain(
    'pg_trgm',
  );
  expect(await psql(elsewhere, 'app', `SELECT obj_description(2200, 'pg_namespace')`)).toBe('kept');
});

test('a backup names added access rules, disabled triggers of partitions and prepared transactions', async () => {
  const added = `echo 'host all all 10.9.9.9/32 reject' >> "$PGDATA/pg_hba.conf"; echo 'm1 sys app' >> "$PGDATA/pg_ident.conf"`;
  await elsewhere.printed(['sh', '-c', added]);
  await psql(
    elsewhere,
    'app',
    `CREATE TABLE one (id int PRIMARY KEY); CREATE TABLE parts (id int REFERENCES one) PARTITION BY RANGE (id);
    CREATE TABLE part PARTITION OF parts DEFAULT; ALTER TABLE part DISABLE TRIGGER ALL; SELECT pg_reload_conf()`,
  );
  await psql(elsewhere, 'postgres', 'ALTER SYSTEM SET max_prepared_transactions = 2');
  const { docker } = elsewhere.fixture.parts;
  await docker.engine.getContainer(stable(elsewhere.live)).restart();
  await vi.waitFor(() => psql(elsewhere, 'app', 'SELECT 1'), 60_000);
  await psql(elsewhere, 'app', `BEGIN; INSERT INTO one VALUES (1); PREPARE TRANSACTION 'half'`);
  expect(await elsewhere.backUp()).toMatchObject({
    notKept: expect.arrayContaining([
      expect.stringMatching(/^The changes of the prepared transaction half of the database app/),
      'The rules that were added to pg_hba.conf.',
      'The user names in pg_ident.conf.',
      expect.stringMatching(/^A restore of this backup fails: .* for these partitions only: part\./),
    ]),
  });
});
