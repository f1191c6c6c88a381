/** What the contract asks of MySQL. */
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll } from 'vitest';
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import type { EngineAddress, EngineEnvironment, EngineSession } from '../../../runner/engines/engine.ts';
import { mysql } from '../../../runner/engines/mysql.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import type { EngineFixture } from './engine-contract.ts';
import { mysqlNumbers, mysqlNumbersTable } from './numbers/mysql-numbers.ts';

export const image = 'mysql:9';
const password = `it's "so" \\ zë`;
export const env = {
  MYSQL_ROOT_PASSWORD: 'root-secret',
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: password,
};
const caps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
const odd = `we-ird "t" ; -- \`ü. x`;
const oddName = `\`${odd.replaceAll('`', '``')}\``;

export async function asRoot<T>(
  { host, port }: EngineAddress,
  { MYSQL_ROOT_PASSWORD = '' }: EngineEnvironment,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await createConnection({
    host,
    port,
    user: 'root',
    password: MYSQL_ROOT_PASSWORD,
    database: 'app',
    charset: 'utf8mb4',
    timezone: 'Z',
  });
  try {
    return await use(connection);
  } finally {
    await connection.end();
  }
}

const awkwardColumns = [
  ['id', 'int'],
  ['big', 'bigint unsigned'],
  ['exact', 'decimal(40,10)'],
  ['single', 'float'],
  ['moment', 'timestamp(6)'],
  ['local', 'datetime(6)'],
  ['day', 'date'],
  ['long time', 'time(3)'],
  ['y', 'year'],
  ['b', 'bit(10)'],
  ['bytes', 'varbinary(20)'],
  ['fixed', 'binary(3)'],
  ['blobby', 'blob'],
  ['place', 'point'],
  ['doc', 'json'],
  ['e', `enum('a','it''s')`],
  ['s', `set('x','y')`],
  ['yes', 'tinyint(1)'],
  ['words', 'text'],
  ['__proto__', 'varchar(10)'],
] as const;

export const mysqlFixture: EngineFixture = {
  engine: mysql,
  image,
  env,
  password,
  wrongEnv: { ...env, MYSQL_PASSWORD: 'wrong' },
  async fill(address, env) {
    await asRoot(address, env, async (root) => {
      const run = (text: string) => root.query(text);
      await run(`SET SESSION sql_mode = '', time_zone = '+00:00'`);
      await run(
        'CREATE TABLE ordered (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), INDEX (name))',
      );
      await run(`INSERT INTO ordered VALUES (9007199254740993, 'a'), (3, 'z'), (1, 'y'), (2, 'x'), (5, 'w')`);
      await run(`CREATE TABLE awkward (${awkwardColumns.map(([name, type]) => `\`${name}\` ${type}`).join(', ')},
        PRIMARY KEY (id))`);
      await run(`INSERT INTO awkward VALUES
        (1, 18446744073709551615, 123456789012345678901234567890.0123456789, 1.5,
          '2026-01-02 03:04:05.123456', '2026-01-02 03:04:05.000001', '2026-01-02', '-838:59:59.000', 1901,
          b'0000000101', X'ff00', X'0102', X'', ST_GeomFromText('POINT(1 2)'),
          '{"a": [1, {"b": "\\\\u00e9"}]}', 'it''s', 'x,y', 1, 'line\\n\\0 💧', 'p'),
        (2, 0, -0.1, -0e0, '0000-00-00', '0000-00-00', '0000-00-00', '00:00:00.5', 0, b'1111111111', X'', X'',
          NULL, NULL, '{"n": 9007199254740993}', '', '', 0, '', ''),
        (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'null', NULL, NULL, NULL,
          NULL, NULL)`);
      await run(`CREATE TABLE ${oddName} (\`id\`\`x\` INT PRIMARY KEY, \`a "b"; --\` TEXT)`);
      await run(`INSERT INTO ${oddName} VALUES (1, 'one')`);
      await run(
        'CREATE TABLE edit (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(50) NOT NULL, n BIGINT, UNIQUE KEY one_email (email))',
      );
      await run(`INSERT INTO edit VALUES (1, 'first@example.com', 1)`);
      await run(mysqlNumbersTable);
      await run('CREATE TABLE written (id INT)');
      await run('INSERT INTO written VALUES (1), (2), (3)');
      await run('CREATE TABLE keyless (a INT, b TEXT)');
      await run(`INSERT INTO keyless VALUES (3, 'c'), (1, 'a'), (2, 'b')`);
      await run('CREATE TABLE unique_only (a INT NOT NULL, UNIQUE (a))');
      await run('INSERT INTO unique_only VALUES (3), (1)');
      await run('CREATE VIEW seen AS SELECT name, id FROM ordered WHERE id < 4');
      await run('CREATE TABLE parted (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4');
      await run('INSERT INTO parted VALUES (1), (2), (3), (4), (5), (6)');
      await run('CREATE TABLE empty_one (id INT PRIMARY KEY)');
      await run('CREATE DATABASE `dotted.one`');
      await run('CREATE TABLE `dotted.one`.`t` (id INT PRIMARY KEY)');
      await run('INSERT INTO `dotted.one`.`t` VALUES (1)');
      await run(`GRANT ALL ON \`dotted.one\`.* TO app`);
    });
  },
  connections: (address, env) =>
    asRoot(address, env, async (root) => {
      const [rows] = await root.query('SHOW PROCESSLIST');
      return (rows as { User: string }[]).filter(({ User }) => User === 'app').length;
    }),

  ordered: {
    table: 'app.ordered',
    schema: 'app',
    columns: [
      { name: 'id', type: 'bigint', primary: true },
      { name: 'name', type: 'varchar(20)', primary: false },
    ],
    rows: [
      { id: '1', name: 'y' },
      { id: '2', name: 'x' },
      { id: '3', name: 'z' },
      { id: '5', name: 'w' },
      { id: '9007199254740993', name: 'a' },
    ],
    total: 5,
  },
  awkward: {
    table: 'app.awkward',
    columns: awkwardColumns.map(([name, type]) => ({ name, type, primary: name === 'id' })),
    rows: [
      {
        id: 1,
        big: '18446744073709551615',
        exact: '123456789012345678901234567890.0123456789',
        single: 1.5,
        moment: '2026-01-02T03:04:05.123456Z',
        local: '2026-01-02T03:04:05.000001',
        day: '2026-01-02',
        'long time': '-838:59:59.000',
        y: 1901,
        b: '0000000101',
        bytes: '\\xff00',
        fixed: '\\x010200',
        blobby: '\\x',
        place: '\\x000000000101000000000000000000f03f0000000000000040',
        doc: { a: [1, { b: 'é' }] },
        e: "it's",
        s: 'x,y',
        yes: 1,
        words: 'line\n\u0000 💧',
        ['__proto__']: 'p',
      },
      {
        id: 2,
        big: '0',
        exact: '-0.1000000000',
        single: '-0',
        moment: '0000-00-00 00:00:00.000000',
        local: '0000-00-00 00:00:00.000000',
        day: '0000-00-00',
        'long time': '00:00:00.500',
        y: 0,
        b: '1111111111',
        bytes: '\\x',
        fixed: '\\x000000',
        blobby: null,
        place: null,
        doc: '{"n": 9007199254740993}',
        e: '',
        s: '',
        yes: 0,
        words: '',
        ['__proto__']: '',
      },
      {
        ...Object.fromEntries(awkwardColumns.map(([name]) => [name, null])),
        id: 3,
        doc: 'null',
        ['__proto__']: null,
      },
    ],
  },
  odd: { table: `app.${odd}`, rows: [{ 'id`x': 1, 'a "b"; --': 'one' }] },
  others: [
    { table: 'app.keyless', rowCount: 3 },
    { table: 'app.unique_only', rowCount: 2 },
    { table: 'app.seen', rowCount: 3 },
    { table: 'app.parted', rowCount: 6 },
    { table: 'app.empty_one', rowCount: 0 },
    { table: '`dotted.one`.t', rowCount: 1 },
  ],

  edit: {
    table: 'app.edit',
    insert: { values: { email: `o'b"; -- \\@example.com`, n: '9007199254740993' }, id: 2 },
    primaryKey: { id: 2 },
    inserted: { id: 2, email: `o'b"; -- \\@example.com`, n: '9007199254740993' },
    update: { values: { n: null }, reads: { id: 2, email: `o'b"; -- \\@example.com`, n: null } },
    missing: { id: 77 },
    otherKey: { email: 'first@example.com' },
    unknownColumn: { email: 'x', colour: 'red' },
    conflict: { values: { email: 'first@example.com' }, names: 'one_email' },
  },

  numbers: mysqlNumbers,
  query: {
    read: {
      text: 'SELECT id AS a, CAST(2 AS UNSIGNED) AS a, 0.10 AS a_2, NULL AS b FROM parted WHERE id = 1',
      columns: [
        { name: 'a', type: 'int' },
        { name: 'a_3', type: 'bigint unsigned' },
        { name: 'a_2', type: 'decimal' },
        { name: 'b', type: 'null' },
      ],
      rows: [{ a: 1, a_3: '2', a_2: '0.10', b: null }],
    },
    write: { text: 'UPDATE written SET id = 3 WHERE id > 1', rowCount: 2 },
    wrong: {
      text: 'SELECT *\nFORM ordered',
      says: /near 'FORM ordered' at line 2 \(error 1064, SQLSTATE 42000\)/,
    },
    several: 'SELECT 1; SELECT 2',
    manyRows: 'SELECT a.id FROM ordered a, ordered b, ordered c, ordered d, ordered e',
    manyBytes: `SELECT REPEAT('x', 700000) FROM ordered`,
    slow: 'SELECT SLEEP(60)',
    // More of them below, as root.
    denied: [`SELECT 'x' INTO OUTFILE '/tmp/x'`, `LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE written`],
  },
};

export interface MysqlScene {
  host: EngineHost;
  session: EngineSession;
  /** Of a container without a user: whatever is refused is refused by the list alone. */
  all: EngineSession;
  root<T>(use: (connection: Connection) => Promise<T>): Promise<T>;
  ask(text: string, of?: EngineSession, timeoutMs?: number): Promise<DatabaseAnswerOf<'query'>>;
  page(table: string, limit?: number, offset?: number): Promise<DatabaseAnswerOf<'rows'>>;
}

/** A server with two sessions for the tests of a `describe`. */
export function mysqlScene(): MysqlScene {
  const scene = {
    root: (use) => asRoot(scene.host.address, env, use),
    ask: (text, of = scene.session, timeoutMs = 15_000) =>
      of.query({ action: 'query', text }, { ...caps, timeoutMs }),
    page: (table, limit = 50, offset = 0) => scene.session.rows({ action: 'rows', table, limit, offset }),
  } as MysqlScene;
  beforeAll(async () => {
    scene.host = await startEngine(mysql, image, env);
    scene.session = await mysql.connect(scene.host.address, env);
    const { MYSQL_ROOT_PASSWORD, MYSQL_DATABASE } = env;
    scene.all = await mysql.connect(scene.host.address, { MYSQL_ROOT_PASSWORD, MYSQL_DATABASE });
  });
  afterAll(async () => {
    await scene.session?.close();
    await scene.all?.close();
    await scene.host?.remove();
  });
  return scene;
}

/** The code of the refusal, or `answered`. */
export const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
