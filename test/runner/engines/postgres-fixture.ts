/** What the contract asks of PostgreSQL, and of TimescaleDB, which is one. */
import pg from 'pg';
import type { BrowsableEngine, EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import { withPostgres } from '../../support/postgres-client.ts';
import type { EngineFixture } from './engine-contract.ts';
import { postgresNumbers, postgresNumbersSchema } from './numbers/postgres-numbers.ts';
import { awkwardColumns, awkwardRows, awkwardSchema } from './postgres-values.ts';

const password = 'pä"s\'s\\ 1';
export const env = { POSTGRES_DB: 'we-ird db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: password };
const dotted = '"sch.ema".ta.ble';
const odd = 'we-ird "t" ; --';
const people = ['Ada', 'Bob', 'Čeněk', '', '日本', "O'Neil"].map((name, index) => ({ id: index + 1, name }));

/** A client of the driver itself, not of the session under test. */
export const asked = <T>(
  address: EngineAddress,
  use: (client: pg.Client) => Promise<T>,
  settings: EngineEnvironment = env,
): Promise<T> => withPostgres(address, settings, use);

const schema = `
  ${awkwardSchema}
  ${postgresNumbersSchema}
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
    fill: (address, given) => asked(address, async (client) => void (await client.query(schema)), given),
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
    awkward: { table: 'public.awkward', columns: awkwardColumns, rows: awkwardRows },
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
    numbers: postgresNumbers,
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
