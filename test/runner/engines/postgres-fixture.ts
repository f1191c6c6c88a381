/** What the contract asks of PostgreSQL, and of TimescaleDB, which is one. */
import pg from 'pg';
import type { BrowsableEngine, EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import type { EngineFixture } from './engine-contract.ts';

const password = 'pä"s\'s\\ 1';
export const env = { POSTGRES_DB: 'we-ird db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: password };
const dotted = '"sch.ema".ta.ble';
const odd = 'we-ird "t" ; --';
const people = ['Ada', 'Bob', 'Čeněk', '', '日本', "O'Neil"].map((name, index) => ({ id: index + 1, name }));

/** A client of the driver itself, not of the session under test. */
export async function asked<T>(
  { host, port }: EngineAddress,
  use: (client: pg.Client) => Promise<T>,
  settings: EngineEnvironment = env,
): Promise<T> {
  const client = new pg.Client({
    host,
    port,
    user: settings.POSTGRES_USER,
    password: settings.POSTGRES_PASSWORD,
    database: settings.POSTGRES_DB,
  });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Column, type, and what is stored as SQL beside what is read; each in a row of values, one of specials, and one of NULLs. */
const values: [name: string, type: string, stored: [string, string], read: [unknown, unknown]][] = [
  ['small', 'smallint', ['-32768', '32767'], [-32768, 32767]],
  ['whole', 'integer', ['2147483647', '-0'], [2147483647, 0]],
  [
    'big',
    'bigint',
    ['9223372036854775807', '-9007199254740993'],
    ['9223372036854775807', '-9007199254740993'],
  ],
  [
    'precise',
    'numeric',
    ['123456789012345678901234567890.123456789', "'NaN'"],
    ['123456789012345678901234567890.123456789', 'NaN'],
  ],
  ['price', 'numeric(10,2)', ['1.50', '0'], ['1.50', '0.00']],
  ['short_float', 'real', ['0.1', "'Infinity'"], [0.1, 'Infinity']],
  ['float', 'double precision', ['0.1::float8 + 0.2::float8', "'NaN'"], [0.30000000000000004, 'NaN']],
  ['zero', 'double precision', ["'-0'", "'-Infinity'"], ['-0', '-Infinity']],
  ['flag', 'boolean', ['true', 'false'], [true, false]],
  ['words', 'text', ["E'a\\nb\\t\"\\\\ '' ☃ 𝄞'", "''"], ['a\nb\t"\\ \' ☃ 𝄞', '']],
  ['code', 'character varying(20)', ["'NULL'", "'null'"], ['NULL', 'null']],
  ['padded', 'character(5)', ["'ab'", "''"], ['ab   ', '     ']],
  ['bytes', 'bytea', ["'\\x00ff10'", "''"], ['\\x00ff10', '\\x']],
  [
    'at',
    'timestamp without time zone',
    ["'2026-02-28 23:59:59.123456'", "'infinity'"],
    ['2026-02-28T23:59:59.123456', 'infinity'],
  ],
  [
    'at_zone',
    'timestamp with time zone',
    ["'2026-03-29 02:30:00.000001+05:30'", "'-infinity'"],
    ['2026-03-28T21:00:00.000001Z', '-infinity'],
  ],
  [
    'seconds',
    'timestamp(0) without time zone',
    ["'9999-12-31 23:59:59'", "'0044-03-15 12:00:00 BC'"],
    ['9999-12-31T23:59:59', '0044-03-15 12:00:00 BC'],
  ],
  ['day', 'date', ["'2026-01-31'", "'0044-03-15 BC'"], ['2026-01-31', '0044-03-15 BC']],
  ['clock', 'time without time zone', ["'23:59:59.999999'", "'24:00:00'"], ['23:59:59.999999', '24:00:00']],
  [
    'clock_zone',
    'time with time zone',
    ["'01:02:03+04:30'", "'00:00-12'"],
    ['01:02:03+04:30', '00:00:00-12'],
  ],
  [
    'span',
    'interval',
    ["'1 year 2 mons 3 days 04:05:06.789'", "'-1 day'"],
    ['1 year 2 mons 3 days 04:05:06.789', '-1 days'],
  ],
  [
    'unique_id',
    'uuid',
    ["'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "'00000000-0000-0000-0000-000000000000'"],
    ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '00000000-0000-0000-0000-000000000000'],
  ],
  [
    'document',
    'jsonb',
    [`'{"a": [1, 2.50, null, {"b": "x:y"}]}'`, `'{"id": 9007199254740993}'`],
    [{ a: [1, 2.5, null, { b: 'x:y' }] }, '{"id": 9007199254740993}'],
  ],
  ['text_document', 'json', [`'{"a":1,"a":2}'`, `'{"e":1.0e2}'`], ['{"a":1,"a":2}', { e: 100 }]],
  ['any_document', 'jsonb', [`'"text"'`, "'null'"], ['"text"', 'null']],
  ['documents', 'jsonb[]', [`ARRAY['[1,2]','"a"',NULL]::jsonb[]`, "'{}'"], [[[1, 2], '"a"', null], []]],
  [
    'ints',
    'integer[]',
    ["'{{1,2},{3,NULL}}'", "'[2:3]={1,2}'"],
    [
      [
        [1, 2],
        [3, null],
      ],
      '[2:3]={1,2}',
    ],
  ],
  ['bigs', 'bigint[]', ["'{9223372036854775807}'", "'{}'"], [['9223372036854775807'], []]],
  [
    'texts',
    'text[]',
    [`ARRAY['a,b','"','\\','{}','NULL',NULL,'']`, "'{x y}'"],
    [['a,b', '"', '\\', '{}', 'NULL', null, ''], ['x y']],
  ],
  [
    'moments',
    'timestamp with time zone[]',
    ["'{2026-01-01 00:00:00+00}'", "'{infinity}'"],
    [['2026-01-01T00:00:00Z'], ['infinity']],
  ],
  ['mood', 'mood', ["'o''k'", "'sad'"], ["o'k", 'sad']],
  ['moods', 'mood[]', ["ARRAY['sad','o''k']::mood[]", "'{}'"], [['sad', "o'k"], []]],
  ['positive', 'positive', ['7', '1'], [7, 1]],
  ['pair', 'pair', [`ROW(1, 'a "b"')`, 'ROW(NULL, NULL)'], ['(1,"a ""b""")', '(,)']],
  [
    'span_of_ints',
    'int8range',
    ["'[1,9223372036854775807)'", "'empty'"],
    ['[1,9223372036854775807)', 'empty'],
  ],
  ['spans', 'nummultirange', ["'{[1.5,2],(3,4)}'", "'{}'"], ['{[1.5,2],(3,4)}', '{}']],
  ['place', 'point', ["'(1.5,-2)'", "'(0,0)'"], ['(1.5,-2)', '(0,0)']],
  ['boxes', 'box[]', ["'{(2,2),(1,1);(4,4),(3,3)}'", "'{}'"], ['{(2,2),(1,1);(4,4),(3,3)}', '{}']],
  ['shape', 'polygon', ["'((0,0),(1,0),(1,1))'", "'((0,0))'"], ['((0,0),(1,0),(1,1))', '((0,0))']],
  ['net', 'cidr', ["'10.0.0.0/8'", "'::/0'"], ['10.0.0.0/8', '::/0']],
  ['address', 'inet', ["'192.168.0.1/24'", "'::1'"], ['192.168.0.1/24', '::1']],
  ['bits', 'bit(4)', ["B'1010'", "B'0000'"], ['1010', '0000']],
  ['lexemes', 'tsvector', ["'fat cat'::tsvector", "''"], ["'cat' 'fat'", '']],
  ['object', 'oid', ['4294967295', '0'], [4294967295, 0]],
];
const awkwardRow = (id: number, place: 0 | 1 | undefined) =>
  Object.fromEntries([
    ['id', id],
    ...values.map(([name, , , read]) => [name, place === undefined ? null : read[place]]),
  ]);

const schema = `
  CREATE TYPE mood AS ENUM ('sad', 'o''k');
  CREATE DOMAIN positive AS int CHECK (VALUE > 0);
  CREATE TYPE pair AS (a int, b text);
  CREATE TABLE awkward (id int PRIMARY KEY, ${values.map(([name, type]) => `${name} ${type}`).join(', ')});
  INSERT INTO awkward VALUES (1, ${values.map(([, , stored]) => stored[0]).join(', ')});
  INSERT INTO awkward VALUES (2, ${values.map(([, , stored]) => stored[1]).join(', ')});
  INSERT INTO awkward (id) VALUES (3);

  CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL);
  ${[...people]
    .reverse()
    .map(({ id, name }) => `INSERT INTO people VALUES (${id}, ${pg.escapeLiteral(name)});`)
    .join('\n')}

  CREATE TABLE ${pg.escapeIdentifier(odd)} ("a ""b"".c" int PRIMARY KEY, "Größe" text, "__x;--" text);
  INSERT INTO ${pg.escapeIdentifier(odd)} VALUES (1, 'x', NULL);
  CREATE SCHEMA "sch.ema";
  CREATE TABLE "sch.ema"."ta.ble" (id int);
  INSERT INTO "sch.ema"."ta.ble" VALUES (1), (2);
  CREATE TABLE "größe ✓" (id int PRIMARY KEY);
  CREATE TABLE keyless (word text);
  INSERT INTO keyless VALUES ('c'), ('a'), ('b');
  CREATE VIEW adults AS SELECT * FROM people WHERE id > 2;
  CREATE MATERIALIZED VIEW names AS SELECT name FROM people;
  CREATE TABLE events (id int, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
  CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
  CREATE TABLE events_rest PARTITION OF events DEFAULT;
  INSERT INTO events VALUES (1, '2025-05-05'), (2, '2026-05-05'), (3, '2027-05-05');

  CREATE TABLE orders (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, code text NOT NULL CONSTRAINT orders_code_once UNIQUE,
    price numeric(10,2) DEFAULT 9.90, doc jsonb, doubled numeric GENERATED ALWAYS AS (price * 2) STORED);
  INSERT INTO orders (code) VALUES ('a'), ('b');
  CREATE TABLE scratch (id int PRIMARY KEY, word text);
  INSERT INTO scratch SELECT n, 'w' FROM generate_series(1, 5) n;
`;

export function postgresFixture(engine: BrowsableEngine, image: string): EngineFixture {
  const order = { id: '3', code: 'c', price: '1.50', doc: { n: [1] }, doubled: '3.00' };
  return {
    engine,
    image,
    env,
    password,
    wrongEnv: { ...env, POSTGRES_PASSWORD: 'wrong' },
    fill: (address) => asked(address, async (client) => void (await client.query(schema))),
    connections: (address) =>
      asked(address, async (client) => {
        const text = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'longshore'`;
        return (await client.query(text)).rows[0].count;
      }),
    ordered: {
      table: 'public.people',
      schema: 'public',
      columns: [
        { name: 'id', type: 'integer', primary: true },
        { name: 'name', type: 'text', primary: false },
      ],
      rows: people,
      total: people.length,
    },
    awkward: {
      table: 'public.awkward',
      columns: [
        { name: 'id', type: 'integer', primary: true },
        ...values.map(([name, type]) => ({ name, type, primary: false })),
      ],
      rows: [
        awkwardRow(1, 0),
        awkwardRow(2, 1),
        awkwardRow(3, undefined),
      ] as EngineFixture['awkward']['rows'],
    },
    odd: { table: `public.${odd}`, rows: [{ 'a "b".c': 1, Größe: 'x', '__x;--': null }] },
    others: [
      { table: dotted, rowCount: 2 },
      { table: 'public.größe ✓', rowCount: 0 },
      { table: 'public.keyless', rowCount: 3 },
      { table: 'public.adults', rowCount: 4 },
      { table: 'public.names', rowCount: 6 },
      { table: 'public.events', rowCount: 3 },
      { table: 'public.events_2025', rowCount: 1 },
      { table: 'public.events_rest', rowCount: 2 },
    ],
    edit: {
      table: 'public.orders',
      insert: { values: { code: 'c', price: 1.5, doc: { n: [1] } }, id: '3' },
      primaryKey: { id: '3' },
      inserted: order,
      update: {
        values: { code: 'ü"\'; --', price: null, doc: null },
        reads: {
          ...order,
          code: 'ü"\'; --',
          price: null as never,
          doc: null as never,
          doubled: null as never,
        },
      },
      missing: { id: '9223372036854775807' },
      otherKey: { code: 'a' },
      unknownColumn: { code: 'd', 'no "such"': 1 },
      conflict: { values: { code: 'a' }, names: 'orders_code_once' },
    },
    query: {
      read: {
        text: '-- who\nSELECT id::bigint, name, now() - now() AS none FROM people WHERE id < 3 ORDER BY id DESC;',
        columns: [
          { name: 'id', type: 'bigint' },
          { name: 'name', type: 'text' },
          { name: 'none', type: 'interval' },
        ],
        rows: [
          { id: '2', name: 'Bob', none: '00:00:00' },
          { id: '1', name: 'Ada', none: '00:00:00' },
        ],
      },
      write: { text: "UPDATE scratch SET word = 'z' WHERE id <= 3", rowCount: 3 },
      wrong: {
        text: 'SELECT id,\n  nam FROM people',
        says: /"nam" does not exist at line 2, column 3 .*42703.*Hint/s,
      },
      several: 'SELECT 1; SELECT 2',
      manyRows: 'SELECT generate_series(1, 1000000000) AS n',
      manyBytes: `SELECT repeat('"', 100000) FROM generate_series(1, 100)`,
      slow: 'SELECT pg_sleep(60)',
      denied: [
        "COPY people TO PROGRAM 'cat > /tmp/x'",
        "COPY people FROM '/etc/passwd'",
        'COPY people TO STDOUT',
        'copy people from stdin',
        "SELECT pg_read_file('/etc/passwd')",
        `SELECT "pg_read_binary_file"('/etc/passwd')`,
        "/* a /* b */ */ SELECT pg_catalog . pg_ls_dir('/')",
        "SELECT lo_export(lo_import('/etc/passwd'), '/tmp/x')",
        "DO $x$ BEGIN PERFORM pg_read_file('/etc/passwd'); END $x$",
        "DO $$ BEGIN COPY people TO PROGRAM 'cat'; END $$",
        'SELECT rolpassword FROM pg_authid',
        'CREATE EXTENSION IF NOT EXISTS dblink',
        'CREATE FUNCTION f() RETURNS int AS $$ return 1 $$ LANGUAGE plpython3u',
        "ALTER SYSTEM SET archive_command = 'cat'",
        'ALTER ROLE app PASSWORD NULL',
        'DROP USER "app"',
        "LOAD 'auto_explain'",
      ],
    },
  };
}
