/** MySQL from dumps that a user brings, by the runner's own job and the server's own tools. */
import { gzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { beforeAll, expect, test } from 'vitest';
import { testId } from '../../../../support/docker/docker-host.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { mysqlNumbers, mysqlNumbersTable } from '../../../engines/numbers/mysql-numbers.ts';
import { type NumbersFixture, storedNumbers } from '../../../engines/numbers/numbers-contract.ts';
import { fileImportContract, flipped } from './file-import-contract.ts';

const env = {
  MYSQL_ROOT_PASSWORD: `ro"ot's \\ zë`,
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: `it's "so" \\ zë`,
};
const database = useDatabase({ engine: 'mysql', image: 'mysql:9', env });
const image = { engine: 'mysql', env } as const;
const numbers = storedNumbers(mysqlNumbers, image, () => database.port);
/** What mysqldump itself writes of them: six digits of a FLOAT, and -0 without quotes, which the server reads as 0. */
const carried = storedNumbers(
  { ...mysqlNumbers, kept: asDumped(mysqlNumbers.kept) },
  image,
  () => database.port,
);
/** Of a database with another name, whose views and routines somebody else has defined. */
let dump: Buffer;
/** The same with the name of its database in it. */
let named: Buffer;
/** Of all databases and accounts, as Longshore takes it. */
let backup: Buffer;

beforeAll(async () => {
  const filled = [
    'CREATE DATABASE elsewhere',
    `CREATE USER 'stranger'@'%' IDENTIFIED BY 'theirs'`,
    `GRANT ALL ON *.* TO 'stranger'@'%'`,
    `CREATE USER 'own'@'%' IDENTIFIED BY 'kept'`,
    'CREATE TABLE elsewhere.kept (answer INT PRIMARY KEY, v TEXT)',
    String.raw`INSERT INTO elsewhere.kept VALUES (42, 'it''s (1),(2) \\ "\r\n\t päß 💧\nUSE mysql;'), (43, NULL)`,
    `CREATE DEFINER='stranger'@'%' VIEW elsewhere.seen AS SELECT answer + 1 AS next FROM elsewhere.kept`,
    `CREATE DEFINER='stranger'@'%' TRIGGER elsewhere.noted BEFORE INSERT ON elsewhere.kept FOR EACH ROW SET NEW.v = 'noted'`,
    `CREATE DEFINER='stranger'@'%' PROCEDURE elsewhere.put(IN n INT)\nBEGIN\nINSERT INTO kept (answer)\nVALUES (n);\nEND`,
  ];
  for (const statement of filled) await sql(statement);
  await sql(mysqlNumbersTable);
  await numbers.put();
  await sql('RENAME TABLE app.numbers TO elsewhere.numbers');
  dump = await mysqldump('elsewhere');
  named = gzipSync(await mysqldump('--databases', 'elsewhere'));
  await sql('CREATE TABLE mine AS SELECT 1 AS n');
  backup = await database.backUpBytes();
  await sql('DROP DATABASE elsewhere');
  await sql(`DROP USER 'stranger'@'%'`);
});

function asDumped([first, second, ...others]: NumbersFixture['kept']): NumbersFixture['kept'] {
  const dumped = (row: typeof first): typeof first => ({
    ...row,
    f: Number(Number(row.f).toPrecision(6)),
    d: row.d === '-0' ? 0 : (row.d ?? null),
  });
  return [dumped(first), dumped(second), ...others.map(dumped)];
}

const mysqldump = (...options: string[]) =>
  database.printed(['mysqldump', '--user=root', '--routines', '--events', ...options], {
    MYSQL_PWD: env.MYSQL_ROOT_PASSWORD,
  });

async function sql(statement: string, user = 'root', password = env.MYSQL_ROOT_PASSWORD) {
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port: database.port, database: 'app', charset: 'utf8mb4' },
    ...{ user, password, rowsAsArray: true },
  });
  connection.on('error', () => {});
  const [rows] = await connection.query(statement).finally(() => connection.destroy());
  return rows as unknown[][];
}

const tables = async () => (await sql('SHOW TABLES')).map(([name]) => String(name));
const asUser = (statement: string) => sql(statement, 'app', env.MYSQL_PASSWORD);

fileImportContract({
  database,
  files: [
    ['a dump of one database', () => dump],
    ['a dump behind gzip with the name of its database', () => named],
  ],
  async empty() {
    for (const name of await tables()) await sql(`DROP ${name === 'seen' ? 'VIEW' : 'TABLE'} \`${name}\``);
    await sql('DROP PROCEDURE IF EXISTS put');
  },
  putMine: () => sql('CREATE TABLE mine AS SELECT 1 AS n'),
  holds: tables,
  mine: ['mine'],
  imported: ['kept', 'numbers', 'seen'],
  async expectImported() {
    expect(await asUser('SELECT answer, v FROM kept ORDER BY 1')).toEqual([
      [42, 'it\'s (1),(2) \\ "\r\n\t päß 💧\nUSE mysql;'],
      [43, null],
    ]);
    expect(await asUser('SELECT next FROM seen')).toEqual([[43], [44]]);
    await carried.expectSame();
    await asUser('CALL put(44)');
    expect(await asUser('SELECT v FROM kept WHERE answer = 44')).toEqual([['noted']]);
    const users = await sql("SELECT user FROM mysql.user WHERE user IN ('stranger', 'own')");
    expect(users, 'own accounts stay, those of the dump do not come').toEqual([['own']]);
    expect(await sql("SHOW DATABASES LIKE 'elsewhere'")).toEqual([]);
  },
  refused: [
    ['a text', () => Buffer.from('Dear reader,\n'), /must be a dump of mysqldump/],
    ['a dump that was cut', () => dump.subarray(0, -60), /"-- Dump completed" is missing/],
    ['a dump behind gzip that was cut', () => gzipSync(dump).subarray(0, -20), /The file is damaged/],
    ['a dump of all databases', () => mysqldump('--all-databases'), /server's own database mysql/],
    ['a backup with a bit flipped', () => flipped(backup), /The file is damaged/],
  ],
});

test('a backup of several databases restores them under their names, without accounts', async () => {
  const safetyBackupId = testId('backup');
  expect(await database.importFile(backup, { safetyBackupId })).toMatchObject({ outcome: 'succeeded' });
  expect(await sql('SELECT count(*) FROM elsewhere.kept')).toEqual([[2]]);
  expect(await asUser('SELECT n FROM mine')).toEqual([[1]]);
  expect(await sql("SELECT user FROM mysql.user WHERE user = 'stranger'")).toEqual([]);
  await sql('DROP DATABASE elsewhere');
});

test.each([
  '\\! touch /var/lib/mysql-files/called',
  'system touch /var/lib/mysql-files/called',
  'DROP DATABASE mysql;',
])('a dump that holds %j runs no program and reaches nothing but its own database', async (line) => {
  const hostile = Buffer.from(dump.toString().replace('-- Dump completed', `${line}\n;\n-- Dump completed`));
  expect(await database.importFile(hostile)).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(
      /(error in your SQL syntax|Unknown command|Access denied).*Nothing was changed/s,
    ),
  });
  expect(await tables()).toEqual([]);
  expect(await database.belongings()).toEqual(database.alone());
});
