/** Imports into MySQL by the runner's own job: two real servers, of which one is only read. */
import { createConnection } from 'mysql2/promise';
import { beforeAll, expect, test } from 'vitest';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { mysqlFixture, env as sourceEnv } from '../../../engines/mysql-fixture.ts';
import { importContract } from './import-contract.ts';

const mysql = { engine: 'mysql', image: 'mysql:9' } as const;
const reader = { user: "read er's", password: `pä"s/s@\\ '1` };
const targetEnv = {
  MYSQL_ROOT_PASSWORD: `ro"ot's \\ zë`,
  MYSQL_DATABASE: 'shop',
  MYSQL_USER: 'owner',
  MYSQL_PASSWORD: `it's "own"`,
};
const { target, source } = useDatabases({
  source: { ...mysql, env: sourceEnv },
  target: { ...mysql, env: targetEnv },
});
/** An address of the source that containers reach too. */
let sourceAddress: string;
let before: unknown[][];

beforeAll(async () => {
  const { address, env } = await source.place();
  sourceAddress = address.host;
  await mysqlFixture.fill(address, env);
  for (const statement of filled) await sql(source, statement);
  before = await sums(source, 'app');
  expect(before.length).toBeGreaterThan(10);
});

/** Whoever defined these is not there on the other side. */
const filled = [
  // `mysqldump` writes a negative zero as 0.
  'UPDATE awkward SET single = 0 WHERE id = 2',
  'CREATE TABLE kept (answer INT PRIMARY KEY)',
  'INSERT INTO kept VALUES (42)',
  'CREATE TABLE log (at DATETIME(6), what VARCHAR(99))',
  'CREATE TABLE many (id INT PRIMARY KEY, fill TEXT)',
  "INSERT /*+ SET_VAR(cte_max_recursion_depth = 30000) */ INTO many WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i, REPEAT('x', 500) FROM n",
  "CREATE USER gone@'10.0.0.0/255.0.0.0'",
  "GRANT ALL ON app.* TO gone@'10.0.0.0/255.0.0.0'",
  "CREATE DEFINER = gone@'10.0.0.0/255.0.0.0' VIEW next AS SELECT answer + 1 AS next FROM kept",
  "CREATE DEFINER = gone@'10.0.0.0/255.0.0.0' TRIGGER noted AFTER DELETE ON kept FOR EACH ROW INSERT INTO log VALUES (NOW(6), 'CREATE DEFINER=`x`@`y` ')",
  'CREATE PROCEDURE put(IN n INT)\nBEGIN\nINSERT INTO `log`\nVALUES (NOW(6), n);\nEND',
  'CREATE FUNCTION plus(n INT) RETURNS INT DETERMINISTIC RETURN n + 1',
  "CREATE EVENT often ON SCHEDULE EVERY 1 YEAR STARTS '2099-01-01' DO DELETE FROM log",
  'CREATE ROLE readers',
  'GRANT SELECT, SHOW VIEW, TRIGGER, EVENT ON app.* TO readers',
  'GRANT SHOW_ROUTINE ON *.* TO readers',
  `CREATE USER 'read er''s'@'%' IDENTIFIED BY 'pä"s/s@\\\\ ''1' DEFAULT ROLE readers`,
  "CREATE USER poor@'%' IDENTIFIED BY 'poor'",
  "GRANT SELECT, SHOW VIEW, EVENT ON app.* TO poor@'%'",
];

async function sql(
  of: Database,
  text: string,
  login: { user?: string; password?: string; database?: string } = {},
) {
  const env = of === source ? sourceEnv : targetEnv;
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port: of.port, charset: 'utf8mb4', rowsAsArray: true, user: 'root' },
    ...{ password: env.MYSQL_ROOT_PASSWORD, database: env.MYSQL_DATABASE },
    ...login,
  });
  connection.on('error', () => {});
  return await connection
    .query(text)
    .then(([rows]) => rows as unknown[][])
    .finally(() => connection.destroy());
}

const urlTo = (other: Partial<Record<'host' | 'user' | 'password' | 'query' | 'database', string>> = {}) => {
  const { host, user, password, query, database } = {
    ...{ host: sourceAddress, ...reader, query: '', database: 'app' },
    ...other,
  };
  return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:3306/${database}${query}`;
};
const asRoot = (database: string) =>
  urlTo({ user: 'root', password: sourceEnv.MYSQL_ROOT_PASSWORD, database });
const importFrom = (sourceUrl = urlTo()) =>
  target.run(target.importSpec({ source: 'mysql-url' }), { sourceUrl });

const tables = async () =>
  (
    await sql(
      target,
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' AND table_type = 'BASE TABLE' ORDER BY 1",
    )
  ).flatMap((row) => row.map(String));
/** Every table with what its rows add up to, whatever the order in which they lie. */
const sums = async (of: Database, database: string) => {
  const found = await sql(
    of,
    `SELECT table_name FROM information_schema.tables WHERE table_schema = '${database}' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const names = found.map(([name]) => `\`${database}\`.\`${String(name).replaceAll('`', '``')}\``);
  const list = await sql(of, `CHECKSUM TABLE ${names.join(', ')}`);
  return list.map(([name, sum]) => [String(name).replace(/^\w+\./, ''), sum]);
};

/** The connections of `mysqldump`: the runner's own are over by then. */
const dumping = () =>
  sql(
    source,
    `SELECT p.id FROM performance_schema.processlist p JOIN performance_schema.session_connect_attrs a
      ON a.processlist_id = p.id AND a.attr_name = 'program_name' AND a.attr_value = 'mysqldump'`,
  );

importContract({
  ...{ target, source: 'mysql-url', url: urlTo },
  async empty() {
    for (const statement of ['DROP DATABASE shop', 'CREATE DATABASE shop'])
      await sql(target, statement, { database: 'mysql' });
  },
  async putMine() {
    await sql(target, 'CREATE TABLE mine (v INT)');
    await sql(target, 'INSERT INTO mine VALUES (1), (2)');
  },
  holds: tables,
  mine: ['mine'],
  imported: ['kept', 'many'],
  async expectImported() {
    expect(await sums(target, 'shop')).toEqual(before);
    expect(await sums(source, 'app')).toEqual(before);
    const owner = { user: 'owner', password: targetEnv.MYSQL_PASSWORD };
    expect(await sql(target, 'SELECT next FROM next', owner)).toEqual([[43]]);
    expect(await sql(target, 'SELECT plus(1)', owner)).toEqual([[2]]);
    await sql(target, 'CALL put(7)', owner);
    await sql(target, 'DELETE FROM kept', owner);
    expect(await sql(target, 'SELECT what FROM log ORDER BY at', owner)).toEqual([
      ['7'],
      ['CREATE DEFINER=`x`@`y` '],
    ]);
    const definers = `SELECT definer FROM information_schema.views WHERE table_schema = 'shop' UNION
      SELECT definer FROM information_schema.triggers WHERE trigger_schema = 'shop' UNION
      SELECT definer FROM information_schema.routines WHERE routine_schema = 'shop' UNION
      SELECT definer FROM information_schema.events WHERE event_schema = 'shop'`;
    expect(await sql(target, definers), "everything is defined by the service's user").toEqual([['owner@%']]);
    const strangers = "SELECT COUNT(*) FROM mysql.user WHERE user IN ('gone', 'poor')";
    expect(await sql(target, strangers)).toEqual([[0]]);
  },
  refusedHosts: ['127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0'],
  wrongPassword: {
    code: 'import_failed',
    words: /could not be opened: Access denied.*Nothing was changed/,
  },
  copying: { begun: () => dumping(), reading: () => dumping() },
});

test('an import takes a database of any name, and keeps the accounts of the server that is filled', async () => {
  await sql(target, "CREATE USER IF NOT EXISTS mine@'%' IDENTIFIED BY 'theirs'");
  await sql(target, "GRANT SELECT ON shop.* TO mine@'%'");
  expect(await importFrom(asRoot('dotted.one'))).toMatchObject({ outcome: 'succeeded' });
  expect(await sql(target, 'SELECT id FROM t', { user: 'mine', password: 'theirs' })).toEqual([[1]]);
});

test('an import without TLS brings the same', async () => {
  expect(await importFrom(urlTo({ query: '?ssl-mode=DISABLED' }))).toMatchObject({ outcome: 'succeeded' });
  expect(await sums(target, 'shop')).toEqual(before);
});

test('a user who may not see triggers is refused with the grant that is missing', async () => {
  expect(await importFrom(urlTo({ user: 'poor', password: 'poor' }))).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/triggers.*grant the user TRIGGER/),
  });
});

test('a table whose rows are elsewhere is refused by its name', async () => {
  await sql(source, 'CREATE DATABASE strange');
  await sql(source, 'CREATE TABLE strange.one (v INT) ENGINE = MyISAM');
  await sql(source, 'CREATE TABLE strange.both (v INT) ENGINE = MERGE UNION = (strange.one)');
  try {
    expect(await importFrom(asRoot('strange'))).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/table both .*engine MRG_MYISAM/),
    });
  } finally {
    await sql(source, 'DROP DATABASE strange');
  }
});

test('a source that reaches for another database is stopped by the server, which confines it to its own', async () => {
  await sql(source, 'CREATE DATABASE greedy');
  await sql(source, 'CREATE VIEW greedy.others AS SELECT * FROM app.kept');
  try {
    expect(await importFrom(asRoot('greedy'))).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/^mysql ended .*denied to user 'owner'/),
    });
    expect(await tables()).toEqual([]);
  } finally {
    await sql(source, 'DROP DATABASE greedy');
  }
});

test('a source that ends the connection in the middle fails the import, and nothing is left', async () => {
  const running = importFrom();
  await expect.poll(dumping, { interval: 5, timeout: 300_000 }).not.toEqual([]);
  for (const [id] of await dumping()) await sql(source, `KILL ${Number(id)}`).catch(() => {});
  expect(await running).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/^mysqldump ended with exit code \d+: .*Nothing was changed\.$/s),
  });
  expect(await tables()).toEqual([]);
  expect(await target.belongings()).toEqual(target.alone());
});
