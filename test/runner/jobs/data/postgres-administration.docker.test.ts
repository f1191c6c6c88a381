/** What administrators set up around the tables, and dumps forget: a restore brings it back, or the backup names it. */
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, test, vi } from 'vitest';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { type Database, useDatabases } from '../../../support/docker/use-databases.ts';

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

test('a restore that fails removes databases whose event triggers refuse drops', async () => {
  await psql(server, 'zone', `ALTER DATABASE zone RESET app.tenant`);
  const backup = await server.backUp();
  expect(await elsewhere.run(elsewhere.restoreSpec(backup))).toMatchObject({ code: 'restore_failed' });
  const left = `SELECT count(*) FROM pg_database WHERE datname LIKE 'longshore_restore_%'`;
  expect(await psql(elsewhere, 'app', left)).toBe('0');
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
