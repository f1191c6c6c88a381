/** Backups and restores of MySQL by the runner's own jobs: a new volume and a switch of containers, with the real server. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { type Connection, createConnection } from 'mysql2/promise';
import { beforeAll, expect, test } from 'vitest';
import { mysqlData } from '../../../../../runner/engines/mysql/data.ts';
import { fileAt } from '../../../../../runner/jobs/data/write-backup.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { backupContract } from './backup-contract.ts';

const env = {
  MYSQL_ROOT_PASSWORD: `ro"ot's \\ zë`,
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: `it's "so" \\ zë`,
};
const odd = '`we-ird "t" ; -- ``(1),(2)`';
const database = useDatabase({ engine: 'mysql', image: 'mysql:9', env });

const filled = [
  'CREATE TABLE kept (answer INT PRIMARY KEY)',
  'INSERT INTO kept VALUES (42)',
  'CREATE DATABASE `we-ird "d" - ü`',
  `CREATE TABLE \`we-ird "d" - ü\`.${odd} (id BIGINT UNSIGNED PRIMARY KEY, v TEXT, b VARBINARY(99), j JSON, twice BIGINT AS (id * 2) STORED)`,
  `INSERT INTO \`we-ird "d" - ü\`.${odd} (id, v, b, j) VALUES (1, 'it''s (1),(2) \\\\ "\r\n\t\0 päß 💧', X'00FF0A27', '{"a": 12345678901234567890}'), (2, NULL, NULL, NULL)`,
  'CREATE TABLE log (at DATETIME(6), what VARCHAR(99))',
  'CREATE VIEW seen AS SELECT answer + 1 AS next FROM kept',
  "CREATE TRIGGER noted AFTER DELETE ON kept FOR EACH ROW INSERT INTO log VALUES (NOW(6), 'deleted')",
  'CREATE PROCEDURE put(IN n INT)\nBEGIN\nINSERT INTO `log`\nVALUES (NOW(6), n);\nINSERT INTO `log` VALUES (NOW(6), 1), (NOW(6), 2);\nEND',
  'CREATE FUNCTION plus(n INT) RETURNS INT DETERMINISTIC RETURN n + 1',
  "CREATE EVENT often ON SCHEDULE EVERY 1 YEAR STARTS '2099-01-01' DO DELETE FROM log",
  `CREATE USER 'o''dd'@'%' IDENTIFIED BY 'theirs'`,
  `GRANT SELECT ON app.kept TO 'o''dd'@'%'`,
];

beforeAll(async () => {
  for (const statement of filled) await sql(statement);
});

async function connected<T>(
  login: { user: string; password: string },
  use: (connection: Connection) => Promise<T>,
) {
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port: database.port, database: 'app', charset: 'utf8mb4', rowsAsArray: true },
    ...{ supportBigNumbers: true, bigNumberStrings: true, jsonStrings: true },
    ...login,
  });
  connection.on('error', () => {});
  return await use(connection).finally(() => connection.destroy());
}

const sql = async (statement: string, user = 'root', password = env.MYSQL_ROOT_PASSWORD) =>
  await connected(
    { user, password },
    async (connection) => (await connection.query(statement))[0] as unknown[][],
  );

backupContract({
  database,
  magic: Buffer.from([0x1f, 0x8b]),
  counts: { tables: 3, rows: 3 },
  answer: async () => (await sql('SELECT answer FROM kept ORDER BY 1')).join(),
  async setAnswer(value) {
    for (const statement of [
      'DELETE FROM kept',
      `INSERT INTO kept VALUES (${value})`,
      'TRUNCATE log', // of what the trigger notes
    ])
      await sql(statement);
  },
  async damage() {
    await sql('DROP DATABASE `we-ird "d" - ü`');
    await sql('DROP PROCEDURE put');
    await sql(`DROP USER 'o''dd'@'%'`);
    await sql('CREATE DATABASE since');
  },
  async expectWhole() {
    expect(await sql('SELECT answer FROM kept')).toEqual([[42]]);
    expect(await sql(`SELECT v, HEX(b), j, twice FROM \`we-ird "d" - ü\`.${odd} ORDER BY id`)).toEqual([
      ['it\'s (1),(2) \\ "\r\n\t\0 päß 💧', '00FF0A27', '{"a": 12345678901234567890}', expect.anything()],
      [null, null, null, expect.anything()],
    ]);
    expect(await sql('SELECT next FROM seen')).toEqual([['43']]);
    expect(await sql('SELECT plus(1)')).toEqual([[2]]);
    const named = (kind: string, table: string) =>
      sql(`SELECT ${kind}_name FROM information_schema.${table} WHERE ${kind}_schema = 'app'`);
    expect(await named('event', 'events')).toEqual([['often']]);
    expect(await named('trigger', 'triggers')).toEqual([['noted']]);
    expect(await sql("SHOW DATABASES LIKE 'since'")).toEqual([]);
    await sql('CALL put(7)');
    expect(await sql('SELECT COUNT(*) FROM log WHERE what IN (7, 1, 2)')).toEqual([['3']]);
    await sql('TRUNCATE log');
    expect(await sql('SELECT * FROM kept', "o'dd", 'theirs')).toEqual([[42]]);
    expect(await sql('SELECT * FROM kept', 'app', env.MYSQL_PASSWORD)).toEqual([[42]]);
  },
  deaths: { changesNothing: [], starts: 2 }, // the others take minutes here, and are in test/soak/data-kill.test.ts
});

test('a backup is SQL behind gzip, and one whose last line is missing is refused', async () => {
  const path = database.pathOf((await database.backUp()).id);
  const dump = await text(createReadStream(path).pipe(createGunzip()));
  expect(dump).toMatch(/^-- MySQL dump/);
  const cut = gzipSync(dump.slice(0, -20));
  await writeFile(`${path}-cut`, cut);
  const checked = mysqlData.archive.check(await database.place(), fileAt(`${path}-cut`, cut.length));
  await expect(checked).rejects.toThrow(/last line is missing/);
});
