/** MySQL from dumps that a user brings, by the runner's own job and the server's own tools. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { testId } from '../../support/docker-host.ts';
import { type FileImportBench, fileImportBench } from '../../support/file-import.ts';
import { testContext } from '../../support/job-context.ts';

const env = {
  MYSQL_ROOT_PASSWORD: `ro"ot's \\ zë`,
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: `it's "so" \\ zë`,
};
let bench: FileImportBench;
/** Of a database with another name, whose views and routines somebody else has defined. */
let dump: Buffer;
/** Of all databases and accounts, as Longshore takes it. */
let backup: Buffer;

beforeAll(async () => {
  bench = await fileImportBench('mysql', 'mysql:9', env);
  const filled = [
    'CREATE DATABASE elsewhere',
    `CREATE USER 'stranger'@'%' IDENTIFIED BY 'theirs'`,
    `GRANT ALL ON *.* TO 'stranger'@'%'`,
    'CREATE TABLE elsewhere.kept (answer INT PRIMARY KEY, v TEXT)',
    String.raw`INSERT INTO elsewhere.kept VALUES (42, 'it''s (1),(2) \\ "\r\n\t päß 💧\nUSE mysql;'), (43, NULL)`,
    `CREATE DEFINER='stranger'@'%' VIEW elsewhere.seen AS SELECT answer + 1 AS next FROM elsewhere.kept`,
    `CREATE DEFINER='stranger'@'%' TRIGGER elsewhere.noted BEFORE INSERT ON elsewhere.kept FOR EACH ROW SET NEW.v = 'noted'`,
    `CREATE DEFINER='stranger'@'%' PROCEDURE elsewhere.put(IN n INT)\nBEGIN\nINSERT INTO kept (answer)\nVALUES (n);\nEND`,
  ];
  for (const statement of filled) await sql(statement);
  dump = await mysqldump('elsewhere');
  await sql('CREATE TABLE mine AS SELECT 1 AS n');
  backup = await backedUp();
  await sql('DROP DATABASE elsewhere');
  await sql(`DROP USER 'stranger'@'%'`);
  await sql('DROP TABLE mine');
});
afterAll(() => bench?.fixture.remove());
beforeEach(async () => {
  for (const name of await tables()) await sql(`DROP ${name === 'seen' ? 'VIEW' : 'TABLE'} \`${name}\``);
});

const mysqldump = (...options: string[]) =>
  bench.printed(['mysqldump', '--user=root', '--routines', '--events', ...options], {
    env: { MYSQL_PWD: env.MYSQL_ROOT_PASSWORD },
  });

async function backedUp(): Promise<Buffer> {
  const { projectId, serviceId } = bench.live;
  const backupId = testId('backup');
  const of = { projectId, serviceId, engine: 'mysql', backupId, toDisk: true, remoteKey: null } as const;
  const secrets = { env: {}, gitToken: null };
  await createJobs(bench.fixture.parts).backup.run({ kind: 'backup', ...of }, secrets, testContext());
  return await readFile(backupPath(bench.fixture.host.dataDirectory, serviceId, backupId));
}

async function sql(statement: string, user = 'root', password = env.MYSQL_ROOT_PASSWORD) {
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port: bench.live.hostPort, database: 'app', charset: 'utf8mb4' },
    ...{ user, password, rowsAsArray: true },
  });
  connection.on('error', () => {});
  const [rows] = await connection.query(statement).finally(() => connection.destroy());
  return rows as unknown[][];
}

const tables = async () => (await sql('SHOW TABLES')).map(([name]) => String(name));
const asUser = (statement: string) => sql(statement, 'app', env.MYSQL_PASSWORD);

describe('a dump of one database', () => {
  test("fills the service's own, whatever it was called; who had defined what is not made", async () => {
    await sql(`CREATE USER IF NOT EXISTS 'own'@'%' IDENTIFIED BY 'kept'`);
    const context = testContext();
    expect(await bench.run(dump, {}, context)).toMatchObject({ outcome: 'succeeded' });
    expect(await asUser('SELECT answer, v FROM kept ORDER BY 1')).toEqual([
      [42, 'it\'s (1),(2) \\ "\r\n\t päß 💧\nUSE mysql;'],
      [43, null],
    ]);
    expect(await asUser('SELECT next FROM seen')).toEqual([[43], [44]]);
    await asUser('CALL put(44)');
    expect(await asUser('SELECT v FROM kept WHERE answer = 44')).toEqual([['noted']]);
    const users = await sql("SELECT user FROM mysql.user WHERE user IN ('stranger', 'own')");
    expect(users, 'own accounts stay, those of the dump do not come').toEqual([['own']]);
    await sql('DROP PROCEDURE put');
  });

  test('with its name in it, behind gzip, replaces what is there after a backup of it', async () => {
    await sql('CREATE TABLE mine AS SELECT 1 AS n');
    await sql('CREATE DATABASE elsewhere');
    await sql('CREATE TABLE elsewhere.kept AS SELECT 42 AS answer');
    const named = gzipSync(await mysqldump('--databases', 'elsewhere'));
    await sql('DROP DATABASE elsewhere');
    expect(await bench.run(named)).toMatchObject({ code: 'import_refused' });
    const done = await bench.run(named, { safetyBackupId: testId('backup') });
    expect(done).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 1 } } });
    expect([await tables(), await asUser('SELECT * FROM kept')]).toEqual([['kept'], [[42]]]);
    expect(await sql("SHOW DATABASES LIKE 'elsewhere'")).toEqual([]);
  });
});

test('a backup of several databases brings them under their names, and no account', async () => {
  expect(await bench.run(backup, { safetyBackupId: testId('backup') })).toMatchObject({
    outcome: 'succeeded',
  });
  expect(await sql('SELECT count(*) FROM elsewhere.kept')).toEqual([[2]]);
  expect(await asUser('SELECT n FROM mine')).toEqual([[1]]);
  expect(await sql("SELECT user FROM mysql.user WHERE user = 'stranger'")).toEqual([]);
  await sql('DROP DATABASE elsewhere');
});

describe('what is no whole dump of that kind is refused before anything is touched', () => {
  test.each([
    ['a text', async () => Buffer.from('Dear reader,\n'), /what is taken is a dump of mysqldump/],
    ['a dump that was cut', async () => dump.subarray(0, -60), /"-- Dump completed" is missing/],
    ['a dump behind gzip that was cut', async () => gzipSync(dump).subarray(0, -20), /The file is damaged/],
    ['a dump of all databases', () => mysqldump('--all-databases'), /server's own database mysql/],
    ['a backup with a bit flipped', async () => flipped(backup), /The file is damaged/],
  ])('%s', async (_, file, why) => {
    await sql('CREATE TABLE mine AS SELECT 1 AS n');
    const bytes = await file();
    const before = [await bench.things(), await bench.files()];
    const context = testContext();
    expect(await bench.run(bytes, { safetyBackupId: testId('backup') }, context)).toMatchObject({
      code: expect.stringMatching(/^import_/),
      message: expect.stringMatching(why),
    });
    expect(new Set(context.phases.map(({ phase }) => phase))).toEqual(new Set(['fetch']));
    expect([await tables(), [await bench.things(), await bench.files()]]).toEqual([['mine'], before]);
  });
});

const flipped = (bytes: Buffer) => {
  const at = bytes.length >> 1;
  return Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1);
};

test.each([
  '\\! touch /var/lib/mysql-files/called',
  'system touch /var/lib/mysql-files/called',
  'DROP DATABASE mysql;',
])('a dump that holds %j runs no program and reaches nothing but its own database', async (line) => {
  const hostile = Buffer.from(dump.toString().replace('-- Dump completed', `${line}\n;\n-- Dump completed`));
  const refused = await bench.run(hostile);
  expect(refused).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(
      /(error in your SQL syntax|Unknown command|Access denied).*Nothing was changed/s,
    ),
  });
  const things = await bench.things();
  expect([await tables(), things.containers.length]).toEqual([[], 1]);
});
