/** ClickHouse keeps the last bits of what is too large for a type: here no row is made of them, and no row is found by them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseAskOf } from '../../../../protocol/database.ts';
import { openConnection } from '../../../../runner/engines/clickhouse/connection.ts';
import { clickhouse } from '../../../../runner/engines/clickhouse.ts';
import type { EngineSession } from '../../../../runner/engines/engine.ts';
import { type EngineHost, startEngine } from '../../../support/docker/engine-container.ts';
import { asked, env, image } from '../clickhouse-fixture.ts';

let host: EngineHost;
let session: EngineSession;

beforeAll(async () => {
  host = await startEngine(clickhouse, image, env);
  session = await clickhouse.connect(host.address, env);
});
afterAll(async () => {
  await session?.close();
  await host?.remove();
});

type Values = DatabaseAskOf<'insert'>['values'];

const made = (...statements: string[]) =>
  asked(host.address, env, async (client) => {
    for (const query of statements) await client.command({ query });
  });
const ask = (text: string) =>
  session.query({ action: 'query', text }, { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 });
const rowsOf = async (table: string) =>
  (await session.rows({ action: 'rows', table, limit: 100, offset: 0 })).rows;
const insert = (table: string, values: Values) => session.insert({ action: 'insert', table, values });
const refusedNaming = (column: string) => ({
  code: 'invalid_request',
  message: expect.stringContaining(JSON.stringify(column)),
});

const keys: [string, string, string, string | number | boolean][] = [
  ['wide', 'UInt64', '500', '18446744073709552116'],
  ['narrow', 'Int8', '44', 300],
  ['digits', 'Decimal(20, 5)', '1.12345', '1.123456789'],
  ['moment', 'DateTime64(3)', "'2024-02-29 12:34:56.789'", '2024-02-29T12:34:56.7891Z'],
  ['day', 'Date', "'1970-01-01'", '1969-12-31'],
  ['single', 'Float32', '16777216', 16_777_217],
  ['truth', 'UInt8', '1', true],
];

test.each(keys)(
  'a key of %s, %s %s asked by %j, is refused and touches no other row',
  async (name, type, stored, asks) => {
    await made(
      `CREATE TABLE ${name} (k ${type}, text String) ENGINE = MergeTree ORDER BY k`,
      `INSERT INTO ${name} VALUES (${stored}, 'mine')`,
    );
    const table = `app.${name}`;
    const before = await rowsOf(table);
    expect(before).toHaveLength(1);
    const primaryKey = { k: asks };
    const update = session.update({ action: 'update', table, primaryKey, values: { text: 'theirs' } });
    await expect(update).rejects.toMatchObject(refusedNaming('k'));
    await expect(session.delete({ action: 'delete', table, primaryKey })).rejects.toMatchObject(
      refusedNaming('k'),
    );
    expect(await rowsOf(table)).toEqual(before);
    // The row's own key, as it is shown, does name it.
    const shown = { k: before[0]?.k ?? null };
    await session.update({ action: 'update', table, primaryKey: shown, values: { text: 'new' } });
    expect(await rowsOf(table)).toEqual([{ ...shown, text: 'new' }]);
  },
);

test('a value that its column cannot hold creates and changes no row, wherever it is', async () => {
  await made(
    `CREATE TABLE exact (id UInt64, small UInt8, price Decimal(20, 5), m Map(String, UInt8), list Array(Nullable(UInt8)),
      pair Tuple(x Int8, y LowCardinality(Nullable(String))), at DateTime, day Date, choice Enum8('a' = 1))
      ENGINE = MergeTree ORDER BY id`,
  );
  const row = {
    id: '18446744073709551615',
    small: 255,
    price: '1.12345',
    m: { a: 255 },
    list: [1, null],
    pair: { x: -128, y: 'z' },
    at: '2024-02-29T12:34:56Z',
    day: '2024-02-29',
    choice: 'a',
  };
  expect(await insert('app.exact', row)).toEqual({ id: row.id });
  const wrong: Values = {
    id: '18446744073709551616',
    small: 300,
    price: '1.123456789',
    m: { a: 256 },
    list: [256, null],
    pair: { x: 128, y: 'z' },
    at: '2200-01-01T00:00:00Z',
    day: '2026-02-30',
    choice: '257',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const inserted = insert('app.exact', { ...row, [name]: value });
    await expect(inserted).rejects.toMatchObject(refusedNaming(name));
    const update = { action: 'update', table: 'app.exact', primaryKey: { id: row.id } } as const;
    await expect(session.update({ ...update, values: { [name]: value } })).rejects.toMatchObject(
      refusedNaming(name),
    );
  }
  await expect(insert('app.exact', { ...row, small: true })).rejects.toMatchObject(refusedNaming('small'));
  expect(await rowsOf('app.exact')).toEqual([row]);
});

test('the id of a new row is what was stored, not what was sent', async () => {
  await made('CREATE TABLE told (a UInt8, b FixedString(4)) ENGINE = MergeTree ORDER BY (a, b)');
  const { id } = await insert('app.told', { a: '7', b: 'ab' });
  const primaryKey = JSON.parse(String(id)) as Values;
  expect(primaryKey).toEqual({ a: 7, b: 'ab\0\0' });
  await session.delete({ action: 'delete', table: 'app.told', primaryKey });
  expect(await rowsOf('app.told')).toEqual([]);
});

test("the service's own database cannot be dropped, detached or renamed, however it is written; others can", async () => {
  for (const text of [
    'DROP DATABASE app',
    'drop /* */ database if exists "app" sync',
    'DROP DATABASE IF EMPTY `app`',
    'DETACH DATABASE app PERMANENTLY',
    'RENAME DATABASE app TO other',
  ])
    await expect(ask(text)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('CLICKHOUSE_DB'),
    });
  await made('CREATE TABLE kept (app Int8) ENGINE = Memory');
  for (const text of [
    'CREATE DATABASE app2',
    'RENAME DATABASE app2 TO app3',
    'DROP DATABASE app3',
    'DROP TABLE app.kept',
  ])
    await ask(text);
});

test('a silent server makes a read worth repeating and the outcome of a change unknown', async () => {
  await made('CREATE TABLE silent (n Int8) ENGINE = Memory');
  const connection = openConnection(host.address, env);
  await connection.ask({ text: 'SELECT 1' });
  await host.pause();
  try {
    const limits = { timeoutMs: 500 };
    const read = connection.ask({ text: 'SELECT 1', ...limits });
    const write = connection.ask({ text: 'INSERT INTO silent VALUES (1)', ...limits, writes: true });
    const [told, unknown] = await Promise.allSettled([read, write]);
    expect(told).toMatchObject({
      reason: { code: 'unavailable', message: expect.stringMatching(/^The database did not answer within/) },
    });
    expect(unknown).toMatchObject({
      reason: { code: 'timeout', message: expect.stringMatching(/^The database did not answer within/) },
    });
  } finally {
    await host.resume();
    await connection.close();
  }
});

test('the outcome of a change that the server ended is unknown: part of it may remain', async () => {
  await made('CREATE TABLE sink (n UInt64) ENGINE = Null');
  const slow = 'INSERT INTO sink SELECT sipHash64(number, 7) FROM numbers(1000000000000)';
  const caps = { timeoutMs: 500, rowsMax: 1, bytesMax: 1_000 };
  await expect(session.query({ action: 'query', text: slow }, caps)).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('aborted after 0.5 s'),
  });
});

test('the outcome of a change is unknown when the server goes away, and an unsent change was not made', async () => {
  await made('CREATE TABLE lost (n UInt64) ENGINE = Null');
  const connection = openConnection(host.address, env);
  const text = 'INSERT INTO lost SELECT sipHash64(number, 9) FROM numbers(1000000000000)';
  const change = connection.ask({ text, writes: true });
  change.catch(() => {});
  const running = "SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO lost%'";
  await expect.poll(async () => (await connection.ask({ text: running })).rows[0]?.[0]).toBe('1');
  await host.kill();
  await expect(change).rejects.toMatchObject({ code: 'timeout' });
  const unsent = connection.ask({ text: 'INSERT INTO lost VALUES (1)', writes: true });
  await expect(unsent).rejects.toMatchObject({ code: 'unavailable' });
  await connection.close();
});
