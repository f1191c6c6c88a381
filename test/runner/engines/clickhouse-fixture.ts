/** What the contract of the engines is asked of ClickHouse with. */
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { clickhouse } from '../../../runner/engines/clickhouse.ts';
import type { EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import { deniedStatements } from './clickhouse-denied.ts';
import type { EngineFixture } from './engine-contract.ts';
import { clickhouseNumbers, clickhouseNumbersTable } from './numbers/clickhouse-numbers.ts';

export const image = 'clickhouse/clickhouse-server:26.7';
export const password = `pä"s's\\ <&1>`;
export const env: EngineEnvironment = {
  CLICKHOUSE_DB: 'app',
  CLICKHOUSE_USER: 'app',
  CLICKHOUSE_PASSWORD: password,
  CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '0',
};

/** The engine's own driver, not the session under test. */
export async function asked<T>(
  { host, port }: EngineAddress,
  given: EngineEnvironment,
  use: (client: ClickHouseClient) => Promise<T>,
): Promise<T> {
  const client = createClient({
    url: `http://${host}:${port}`,
    username: given.CLICKHOUSE_USER ?? '',
    password: given.CLICKHOUSE_PASSWORD ?? '',
    database: given.CLICKHOUSE_DB ?? '',
    clickhouse_settings: { enable_time_time64_type: 1, date_time_input_format: 'best_effort' },
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** A column of each type: its name, its type, how its value is written in SQL, and how it is read. */
const everyType: [string, string, string, string | number | boolean | null | object][] = [
  ['id', 'UInt64', '18446744073709551615', '18446744073709551615'],
  ['int32', 'Int32', '-2147483648', -2147483648],
  ['int64', 'Int64', '-9223372036854775808', '-9223372036854775808'],
  [
    'int256',
    'Int256',
    "'-57896044618658097711785492504343953926634992332820282019728792003956564819968'",
    '-57896044618658097711785492504343953926634992332820282019728792003956564819968',
  ],
  ['decimal', 'Decimal(38, 10)', "'12345678901234567890.5'", '12345678901234567890.5'],
  ['float', 'Float64', '0.1', 0.1],
  ['nan', 'Float64', 'nan', 'nan'],
  ['infinite', 'Float32', '-inf', '-inf'],
  ['bool', 'Bool', 'true', true],
  ['text', 'String', "'ü \\'\" \\\\ \\n \\0 / 漢 \u2028'", 'ü \'" \\ \n \0 / 漢 \u2028'],
  ['bytes', 'String', "unhex('ff00fe')", '\\xff00fe'],
  ['looks', 'String', "'\\\\x6162'", '\\x6162'],
  ['fixed', 'FixedString(4)', "'ab'", 'ab\0\0'],
  ['fixed_bytes', 'FixedString(2)', "unhex('c328')", '\\xc328'],
  ['date', 'Date', "'2024-02-29'", '2024-02-29'],
  ['date32', 'Date32', "'1900-01-01'", '1900-01-01'],
  ['moment', 'DateTime', "'2024-02-29 12:34:56'", '2024-02-29T12:34:56Z'],
  ['micro', "DateTime64(6, 'Asia/Tokyo')", "'2024-02-29 12:34:56.123456'", '2024-02-29T03:34:56.123456Z'],
  ['nano', "DateTime64(9, 'UTC')", "'1969-07-20 20:17:40.123456789'", '1969-07-20T20:17:40.123456789Z'],
  ['time', 'Time64(3)', "'12:13:14.5'", '12:13:14.500'],
  ['nothing', 'Nullable(Int8)', 'NULL', null],
  ['null_text', 'Nullable(String)', "'NULL'", 'NULL'],
  ['low', 'LowCardinality(String)', "'low'", 'low'],
  ['choice', "Enum8('one' = 1, 'two' = 2)", "'two'", 'two'],
  ['uuid', 'UUID', "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ['ipv4', 'IPv4', "'192.0.2.1'", '192.0.2.1'],
  ['ipv6', 'IPv6', "'2001:db8::1'", '2001:db8::1'],
  ['list', 'Array(Array(UInt64))', '[[1, 2], []]', [['1', '2'], []]],
  ['strings', 'Array(String)', "['ü', unhex('ff')]", ['ü', '\\xff']],
  ['pair', 'Tuple(x Int8, y String)', "(1, 'z')", { x: 1, y: 'z' }],
  ['unnamed', 'Tuple(Int8, String)', "(1, 'z')", [1, 'z']],
  ['map', 'Map(String, Int64)', "map('__proto__', 1, 'ü', -5)", JSON.parse('{"__proto__":"1","ü":"-5"}')],
  ['nested.n', 'Array(Int8)', '[1, 2]', [1, 2]],
  ['nested.s', 'Array(String)', "['a', 'b']", ['a', 'b']],
  [
    'json',
    'JSON',
    '\'{"a":{"b":9007199254740993},"c":[1,"x"]}\'',
    { a: { b: '9007199254740993' }, c: ['1', 'x'] },
  ],
  ['variant', 'Variant(Array(UInt8), String)', '[1]', [1]],
  ['dynamic', 'Dynamic', '42::UInt64', '42'],
  ['point', 'Point', '(1.5, 2)', [1.5, 2]],
  ['odd `name` "\\ . ü', 'Int8', '1', 1],
];

const escaped = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``;
const oddTable = 'we-ird "t" ; -- `x.y ü';

const statements = [
  'CREATE TABLE ordered (id UInt32, name String, made String MATERIALIZED upper(name)) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO ordered SELECT number + 1, concat('n', toString(number + 1)) FROM numbers(60) ORDER BY rand()",
  `CREATE TABLE awkward (${everyType.map(([name, type]) => `${escaped(name)} ${type}`).join(', ')}) ENGINE = MergeTree ORDER BY id`,
  `INSERT INTO awkward SELECT ${everyType.map(([, , sql]) => sql).join(', ')}`,
  `CREATE TABLE ${escaped(oddTable)} (${escaped('a.b "c"')} Int32) ENGINE = MergeTree ORDER BY ${escaped('a.b "c"')}`,
  `INSERT INTO ${escaped(oddTable)} VALUES (5)`,
  'CREATE TABLE deleted (id UInt32) ENGINE = MergeTree ORDER BY id',
  'INSERT INTO deleted SELECT number FROM numbers(10)',
  'DELETE FROM deleted WHERE id < 7',
  'CREATE VIEW small AS SELECT id FROM ordered WHERE id <= 3',
  'CREATE MATERIALIZED VIEW folded ENGINE = SummingMergeTree ORDER BY id AS SELECT id, 1 AS n FROM deleted',
  clickhouseNumbersTable,
  'CREATE TABLE keyless (n Int8) ENGINE = Memory',
  'INSERT INTO keyless VALUES (1), (2)',
  'CREATE TABLE logged (n Int8) ENGINE = Log',
  'CREATE TABLE replaced (id Int8) ENGINE = ReplacingMergeTree ORDER BY tuple()',
  'INSERT INTO replaced VALUES (1)',
  'INSERT INTO replaced VALUES (1)',
  'CREATE DATABASE `other db`',
  'CREATE TABLE `other db`.t (id Int8) ENGINE = MergeTree ORDER BY id',
  "CREATE TABLE edited (id UInt64, at DateTime64(3, 'Asia/Tokyo'), name String, n Nullable(Int64), tags Array(String), pair Tuple(x Int8, y String), m Map(String, UInt8), j JSON, CONSTRAINT no_thirteen CHECK id != 13) ENGINE = MergeTree ORDER BY (id, at)",
];

async function fill(address: EngineAddress, given: EngineEnvironment): Promise<void> {
  await asked(address, given, async (client) => {
    for (const query of statements) await client.command({ query });
  });
}

const key = { id: '18446744073709551615', at: '2024-02-29T03:34:56.789Z' };
const edited = {
  ...key,
  name: "it's \\ ü",
  n: '9223372036854775807',
  tags: ["a'b", '\\xff'],
  pair: { x: 1, y: 'z' },
  m: { k: 1 },
  j: { a: 'b' },
};
const changes = {
  name: '\\xff00',
  n: null,
  tags: ["c\\'d", 'ü'],
  pair: { y: "it's", x: -1 },
  m: { "k'": 2 },
  j: { c: ['d'] },
};

export const fixture: EngineFixture = {
  engine: clickhouse,
  image,
  env,
  password,
  wrongEnv: { ...env, CLICKHOUSE_PASSWORD: `${password}x` },
  fill,
  connections: (address, given) =>
    asked(address, given, async (client) => {
      const query = "SELECT value FROM system.metrics WHERE metric = 'HTTPConnection'";
      const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<{ value: string }>();
      return Number(row?.value) - 1;
    }),
  ordered: {
    table: 'app.ordered',
    schema: 'app',
    columns: [
      { name: 'id', type: 'UInt32', primary: true },
      { name: 'name', type: 'String', primary: false },
      { name: 'made', type: 'String', primary: false },
    ],
    rows: Array.from({ length: 60 }, (_, at) => ({ id: at + 1, name: `n${at + 1}`, made: `N${at + 1}` })),
    total: 60,
  },
  awkward: {
    table: 'app.awkward',
    columns: everyType.map(([name, type]) => ({ name, type, primary: name === 'id' })),
    rows: [Object.fromEntries(everyType.map(([name, , , read]) => [name, read as never]))],
  },
  odd: { table: `app.${oddTable}`, rows: [{ 'a.b "c"': 5 }] },
  others: [
    { table: 'app.deleted', rowCount: 3 },
    { table: 'app.small', rowCount: 3 },
    { table: 'app.folded', rowCount: 0 },
    { table: 'app.keyless', rowCount: 2 },
    { table: 'app.logged', rowCount: 0 },
    { table: 'app.replaced', rowCount: 2 },
    { table: 'other db.t', rowCount: 0 },
  ],
  edit: {
    table: 'app.edited',
    insert: { values: edited, id: JSON.stringify(key) },
    primaryKey: key,
    inserted: edited,
    update: { values: changes, reads: { ...edited, ...changes, pair: { x: -1, y: "it's" } } },
    missing: { ...key, id: '1' },
    otherKey: { id: key.id },
    unknownColumn: { ...key, none: 1 },
    // Nothing is unique, but rows are checked.
    conflict: { values: { ...key, id: '13' }, names: 'no_thirteen' },
  },
  numbers: clickhouseNumbers,
  query: {
    read: {
      text: "-- a comment\nSELECT id AS a, name, toUInt64(id) AS big, id AS a FROM ordered WHERE name != 'a;b' ORDER BY id LIMIT 2",
      columns: [
        { name: 'a', type: 'UInt32' },
        { name: 'name', type: 'String' },
        { name: 'big', type: 'UInt64' },
        { name: 'a_2', type: 'UInt32' },
      ],
      rows: [
        { a: 1, name: 'n1', big: '1', a_2: 1 },
        { a: 2, name: 'n2', big: '2', a_2: 2 },
      ],
    },
    write: { text: 'INSERT INTO keyless (n) VALUES (3), (4), (5)', rowCount: 3 },
    wrong: { text: 'SELECT 1 FRM ordered WHERE', says: /position 14.*code 62, SYNTAX_ERROR/s },
    several: 'SELECT 1; SELECT 2',
    manyRows: 'SELECT number FROM numbers(100000)',
    manyBytes: "SELECT repeat('x', 300000) FROM numbers(20)",
    slow: 'SELECT sum(sipHash64(number, number)) FROM numbers(1000000000000)',
    denied: deniedStatements,
  },
};
