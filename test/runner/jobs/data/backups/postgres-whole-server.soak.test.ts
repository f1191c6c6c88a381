/** What a backup of a PostgreSQL server carries, compared by the text of the server's own pg_dumpall and pg_dump. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { dump } from '../../../../../runner/engines/postgres/archive/dump.ts';
import { PartFile } from '../../../../../runner/storage/backup-files.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { type Backup, type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

const image = { engine: 'postgres' as const, image: 'postgres:17' };
const { server, elsewhere } = useDatabases({
  server: { ...image, env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' } },
  elsewhere: { ...image, env: { POSTGRES_DB: 'mine', POSTGRES_USER: 'you', POSTGRES_PASSWORD: 'other' } },
});
/** Names of the same database in both services. */
const ownAndSecond = [
  ['app', 'mine'],
  ['second', 'second'],
] as const;
const second = `CREATE TABLE t AS SELECT n FROM generate_series(1, 50000) n; CREATE UNIQUE INDEX ON t (n);
  CREATE POLICY p ON t TO reader USING (true)`;
const file = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');

beforeAll(async () => {
  await psql(server, 'app', await file('postgres-every-server-object.sql'));
  await psql(server, 'app', await file('postgres-every-object.sql'));
  await psql(server, 'second', second);
  await psql(server, 'we-ird " db/', 'CREATE TABLE here (a int)');
}, 120_000);

const toolEnv = (database: Database) => ({
  PGUSER: database === server ? 'app' : 'you',
  PGOPTIONS: '-c default_transaction_read_only=off -c statement_timeout=0 -c search_path=public',
});
/** Runs a script as `psql -f` does, each statement by itself. @returns what it prints */
async function psql(database: Database, name: string, script: string): Promise<string> {
  const place = await database.place();
  const stdout = new PassThrough();
  const printed = buffer(stdout);
  const { code, stderr } = await place.tools.run(['psql', '-v', 'ON_ERROR_STOP=1', '-qAt', '-d', name], {
    ...{ env: toolEnv(database), stdout, signal: place.signal },
    stdin: (async function* () {
      yield Buffer.from(script);
    })(),
  });
  if (code !== 0) throw new Error(stderr);
  return (await printed).toString().trim();
}
/** Without the random word that newer versions print. */
const textOf = async (database: Database, command: string[]) =>
  (await database.printed(command, toolEnv(database))).toString().replace(/^\\(un)?restrict .*$/gm, '');
const everything = () => textOf(server, ['pg_dumpall', '-l', 'template1']);
const restore = (database: Database, backup: Backup, context = testContext()) =>
  database.run(database.restoreSpec(backup), { context });

test('a restore brings back every kind of object of all databases, and the roles, as pg_dumpall writes them', async () => {
  const before = await everything();
  const backup = await server.backUp();
  await psql(
    server,
    'app',
    `DROP EVENT TRIGGER watch; DROP SCHEMA app_s CASCADE; ALTER DATABASE app RESET ALL; ALTER DATABASE app CONNECTION LIMIT -1;
    ALTER ROLE boss NOSUPERUSER PASSWORD 'changed'; ALTER ROLE reader RESET ALL; REVOKE reader FROM owner_role CASCADE; GRANT boss TO reader;
    ALTER DATABASE second RENAME TO renamed; GRANT CONNECT ON DATABASE renamed TO PUBLIC; CREATE ROLE later`,
  );
  const context = testContext();
  expect(await restore(server, backup, context)).toMatchObject({ outcome: 'succeeded' });
  expect(await psql(server, 'second', "SELECT count(*) FROM pg_stats WHERE tablename = 't'")).toBe('1');
  await server.removeOldData();
  await psql(server, 'postgres', 'DROP DATABASE renamed; DROP ROLE later');
  expect(await everything()).toBe(before);
});

test('a restore into another service brings all databases, owners and roles, and its own user keeps its password', async () => {
  const backup = await server.backUp();
  expect(await restore(elsewhere, backup)).toMatchObject({ outcome: 'succeeded' });
  for (const [from, to] of ownAndSecond)
    expect(await textOf(elsewhere, ['pg_dump', to])).toBe(await textOf(server, ['pg_dump', from]));
  const roles = async (database: Database) =>
    (await textOf(database, ['pg_dumpall', '--roles-only', '-l', 'template1'])).split('\n');
  const [there, here] = [await roles(elsewhere), await roles(server)];
  const expected = here.map((line) => line.replace('GRANTED BY app', 'GRANTED BY you'));
  expect(expected.filter((line) => !there.includes(line) && !/ROLE app WITH/.test(line))).toEqual([]);
  expect(there.find((line) => line.startsWith('ALTER ROLE app WITH'))).toMatch(
    / SUPERUSER .* NOLOGIN [^']*$/,
  );
  await elsewhere.removeOldData();
});

test('an import of a downloaded backup brings its databases and roles', async () => {
  const backup = await server.backUpBytes();
  const replaced = { safetyBackupId: testId('backup') };
  await psql(elsewhere, 'postgres', 'ALTER DATABASE mine RENAME TO emptied; CREATE DATABASE mine');
  // Its own database is empty now; another one is not, and would be replaced.
  expect(await elsewhere.importFile(backup)).toMatchObject({ code: 'import_refused' });
  expect(await elsewhere.importFile(backup, replaced)).toMatchObject({ outcome: 'succeeded' });
  for (const [from, to] of ownAndSecond)
    expect(await textOf(elsewhere, ['pg_dump', to])).toBe(await textOf(server, ['pg_dump', from]));
  expect(await elsewhere.importFile(backup.subarray(0, -5_000), replaced)).toMatchObject({
    message: expect.stringMatching(/not a complete backup of PostgreSQL/),
  });
  await elsewhere.removeOldData();
});

test('a drill verifies a backup whose policies and user mappings name roles', async () => {
  expect(await server.run(server.drillSpec(await server.backUp()))).toMatchObject({ outcome: 'succeeded' });
});

test('tar, psql and pg_restore read a backup without Longshore', async () => {
  const { id } = await server.backUp();
  const taken = async (...entries: string[]) =>
    (await promisify(execFile)('tar', ['-xOf', server.pathOf(id), '--wildcards', ...entries], {
      ...{ encoding: 'buffer', maxBuffer: 2 ** 30 },
    })) as unknown as { stdout: Buffer };
  await psql(
    elsewhere,
    'postgres',
    'DROP DATABASE IF EXISTS second; DROP DATABASE IF EXISTS "we-ird "" db/"',
  );
  const globals = (await taken('globals.sql')).stdout.toString();
  await psql(elsewhere, 'postgres', `\\set ON_ERROR_STOP 0\n${globals}`);
  const place = await elsewhere.place();
  const { stdout } = await taken('databases/2-second/*');
  const stdin = (async function* () {
    yield stdout;
  })();
  const command = ['pg_restore', '--create', '--exit-on-error', '-d', 'postgres'];
  const ended = await place.tools.run(command, { stdin, env: toolEnv(elsewhere), signal: place.signal });
  expect(ended).toEqual({ code: 0, stderr: '' });
  expect(await textOf(elsewhere, ['pg_dump', 'second'])).toBe(await textOf(server, ['pg_dump', 'second']));
});

test('a restart after a runner died in the exchange opens the databases again and removes what was loaded', async () => {
  const backup = await server.backUp();
  await psql(elsewhere, 'postgres', 'ALTER ROLE boss RENAME TO former; CREATE DATABASE "bystander"');
  const spec = elsewhere.restoreSpec(backup);
  await elsewhere.runUntilSwitch(spec);
  expect(await psql(elsewhere, 'postgres', "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'boss'")).toBe(
    'f',
  );
  // What the exchange does first.
  for (const name of ['mine', 'second'])
    await psql(elsewhere, 'postgres', `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  expect(await elsewhere.recover(spec)).toMatchObject({ code: 'runner_restarted' });
  const names =
    "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database WHERE datallowconn AND NOT datistemplate";
  expect(await psql(elsewhere, 'mine', names)).toBe('bystander emptied mine postgres second');
  expect(await psql(elsewhere, 'mine', "SELECT count(*) FROM pg_roles WHERE rolname = 'boss'")).toBe('0');
});

test('a backup names what it does not hold', async () => {
  await psql(
    server,
    'postgres',
    `SET allow_in_place_tablespaces = on; CREATE TABLESPACE fast LOCATION ''; SET password_encryption = 'md5'; CREATE ROLE old_login PASSWORD 'x';
    SELECT pg_create_physical_replication_slot('standby'); CREATE DATABASE closed ALLOW_CONNECTIONS false; ALTER SYSTEM SET work_mem = '6MB'`,
  );
  const notKept = [
    expect.stringContaining('the role old_login'),
    expect.stringContaining('The tablespace fast'),
    expect.stringContaining('The database closed'),
    expect.stringContaining('The replication slot standby'),
    expect.stringContaining('The setting work_mem'),
    expect.stringContaining('materialized views in the database app'),
  ];
  expect(await server.run(server.backupSpec())).toMatchObject({ facts: { archive: { notKept } } });
});

test('a backup that waits for a locked table fails and names the session that holds it', async () => {
  const place = await server.place();
  const held = psql(server, 'second', 'BEGIN; LOCK TABLE t; SELECT pg_sleep(30)').catch(() => {});
  const waits =
    "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND locktype = 'relation' AND granted";
  await expect.poll(() => psql(server, 'postgres', waits)).toBe('1');
  const part = await PartFile.create(server.pathOf('backup_locked'));
  part.on('error', () => {});
  await expect(dump(place, part, { lockWaitMs: 500 })).rejects.toThrow(
    /A table of the database second stayed locked\. The process \d+ of the user app \(active\) holds t; its last statement: .*pg_sleep/,
  );
  await psql(
    server,
    'postgres',
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()",
  );
  await held;
});
