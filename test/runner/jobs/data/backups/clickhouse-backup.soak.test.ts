/** Backups and restores of ClickHouse by the runner's own jobs: the real server, real files. */
import { Readable, Writable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { beforeAll, expect, test } from 'vitest';
import { clickhouseData } from '../../../../../runner/engines/clickhouse/data.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';
import { asked, env, fixture as filled, image, password } from '../../../engines/clickhouse-fixture.ts';
import { backupContract } from './backup-contract.ts';

const database = useDatabase({
  ...{ engine: 'clickhouse', image, env },
  beside: () => lines("SELECT name FROM system.databases WHERE name LIKE 'longshore_%' ORDER BY 1"),
});
let whole: string[];

const escaped = (text: string) => text.replace(/[\\']/g, '\\$&');

/** Everything that refers to something else by its name, and rows that merges or times would change. */
const entangled = [
  'CREATE TABLE source (id UInt32, n UInt32) ENGINE = MergeTree ORDER BY id',
  'CREATE TABLE target (id UInt32) ENGINE = MergeTree ORDER BY id',
  'CREATE MATERIALIZED VIEW passing TO target AS SELECT id FROM source',
  'CREATE MATERIALIZED VIEW summed ENGINE = SummingMergeTree ORDER BY id AS SELECT id, n FROM source',
  'INSERT INTO source VALUES (1, 10), (2, 20)',
  'INSERT INTO source VALUES (1, 5)',
  'CREATE FUNCTION app_doubled AS (x) -> x * 2',
  "CREATE DICTIONARY looked_up (id UInt64, n UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, 7 AS n')) LAYOUT(FLAT()) LIFETIME(0)",
  "CREATE VIEW using AS SELECT app_doubled(n) AS twice, dictGet('app.looked_up', 'n', toUInt64(1)) AS seven FROM app.source",
  `CREATE DICTIONARY secured (id UInt64, n UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(HOST 'localhost' PORT 9000 USER 'app' PASSWORD '${escaped(password)}' QUERY 'SELECT 1 AS id, 8 AS n')) LAYOUT(FLAT()) LIFETIME(0)`,
  'CREATE TABLE gone (id UInt32) ENGINE = MergeTree ORDER BY id',
  'CREATE VIEW broken AS SELECT id FROM app.gone',
  'DROP TABLE gone',
  "CREATE TABLE waiting AS source ENGINE = Buffer('app', 'source', 1, 10, 100, 10000, 1000000, 10000000, 100000000)",
  'CREATE TABLE `other db`.seen (id Int8, at DateTime MATERIALIZED now() - 1000000) ENGINE = MergeTree ORDER BY id',
  'INSERT INTO `other db`.seen (id) VALUES (1)',
  'CREATE TABLE aged (at DateTime, n AggregateFunction(uniq, UInt32)) ENGINE = MergeTree ORDER BY at TTL at + INTERVAL 1 YEAR SETTINGS merge_with_ttl_timeout = 1000000',
  'SYSTEM STOP MERGES aged',
  "INSERT INTO aged SELECT toDateTime('2020-01-01 00:00:00'), uniqState(toUInt32(number)) FROM numbers(10) GROUP BY number % 3",
  'CREATE TABLE many (n UInt64, text String) ENGINE = MergeTree ORDER BY n PARTITION BY n % 150 SETTINGS max_partitions_to_read = -1',
  'INSERT INTO many SELECT number, hex(sipHash128(number)) FROM numbers(400000) SETTINGS max_partitions_per_insert_block = 0',
  'OPTIMIZE TABLE summed FINAL',
  'OPTIMIZE TABLE replaced FINAL',
  'CREATE TABLE patched (id UInt32, n UInt32) ENGINE = MergeTree ORDER BY id SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, apply_patches_on_merge = 0',
  'INSERT INTO patched VALUES (1, 1), (2, 2)',
  'UPDATE patched SET n = 5 WHERE id = 2',
  'CREATE TABLE kept (answer Int32) ENGINE = MergeTree ORDER BY answer',
  'INSERT INTO kept VALUES (42)',
  'CREATE TABLE joined (id UInt8, n UInt8) ENGINE = Join(ALL, INNER, id)',
  'INSERT INTO joined VALUES (1, 1), (1, 2)',
  "CREATE TABLE nickname ENGINE = Alias('app', 'kept')",
];

const here = () => ({ host: '127.0.0.1', port: database.port });
const withClient = <T>(use: (client: ClickHouseClient) => Promise<T>, name = 'app') =>
  asked(here(), { ...env, CLICKHOUSE_DB: name }, use);
const run = (...statements: string[]) =>
  withClient(async (client) => {
    for (const query of statements) await client.command({ query });
  });
const lines = (query: string) =>
  withClient(async (client) => {
    const text = await (await client.query({ query, format: 'TabSeparated' })).text();
    return text.split('\n').filter((line) => line !== '');
  });

beforeAll(async () => {
  await filled.fill(here(), env);
  await run(...entangled);
  whole = await everything();
});

/** A view of nothing; rows that are due to go, of which a restore had to count each. */
const notRead = ['broken', 'aged'];

/** Every object with its statement and its rows, without what is made anew: the ids. */
async function everything(): Promise<string[]> {
  const objects = await withClient(async (client) => {
    const query = `SELECT database, name, create_table_query AS statement, engine FROM system.tables
      WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') AND database NOT LIKE 'longshore_%'`;
    return (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, string>>();
  });
  const found: string[] = [];
  for (const { database = '', name = '', statement = '', engine = '' } of objects) {
    const table = [database, name].map((one) => `\`${one.replace(/[\\`]/g, '\\$&')}\``).join('.');
    const rows = notRead.includes(name)
      ? []
      : await lines(`SELECT cityHash64(formatRow('RowBinary', *)) FROM ${table} ORDER BY ALL`);
    const [computed = ''] = name === 'seen' ? await lines(`SELECT at FROM ${table}`) : [];
    found.push([database, name, engine, statement, computed, rows.length, rows.sort()].join(' | '));
  }
  return found.map((text) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')).sort();
}

const innerId = async () =>
  (await lines("SELECT uuid FROM system.tables WHERE database = 'app' AND name = 'summed'"))[0];

/** The materialized views pass new rows on. */
async function expectLiveViews(): Promise<void> {
  await run('INSERT INTO source VALUES (9, 9)');
  expect(await lines('SELECT count() FROM target WHERE id = 9')).toEqual(['1']);
  expect(await lines('SELECT n FROM summed WHERE id = 9')).toEqual(['9']);
  await run('DELETE FROM source WHERE id = 9', 'DELETE FROM target WHERE id = 9');
  await run(`DELETE FROM \`.inner_id.${await innerId()}\` WHERE id = 9`);
}

async function expectWhole(): Promise<void> {
  expect(await everything()).toEqual(whole);
  expect(await lines('SELECT sum(n) FROM summed FINAL WHERE id = 1')).toEqual(['15']);
  await expectLiveViews();
}

const setAnswer = (value: number) => run('TRUNCATE TABLE kept', `INSERT INTO kept VALUES (${value})`);

/** In the pieces in which a file is read. */
function* asRead(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

backupContract({
  database,
  magic: 'manifest.json',
  async counts() {
    const [rows = ''] = await lines(
      "SELECT sum(total_rows) FROM system.tables WHERE database IN ('app', 'other db') AND engine NOT IN ('Buffer', 'Dictionary', 'MaterializedView', 'Alias') AND NOT (database = 'app' AND name IN ('deleted', 'patched', 'joined'))",
    );
    return { tables: 20, rows: Number(rows) + 3 + 4 };
  },
  answer: async () => (await lines('SELECT answer FROM kept ORDER BY 1')).join(),
  setAnswer,
  damage: () =>
    run('DROP DATABASE `other db`', 'TRUNCATE TABLE many', 'DROP TABLE awkward', 'DROP VIEW small'),
  expectWhole,
  refillMemory: () => run('INSERT INTO keyless VALUES (1), (2)'),
});

test('a file that is cut or changed is refused as incomplete or damaged', async () => {
  const place = await database.place();
  const chunks: Buffer[] = [];
  const memory = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  await clickhouseData.archive.dump(place, memory);
  const dumped = Buffer.concat(chunks);
  const check = (bytes: Buffer) =>
    clickhouseData.archive.check(place, {
      sizeBytes: bytes.length,
      open: () => Readable.from(asRead(bytes)),
      pieces: () => Readable.from(asRead(bytes)),
    });
  await check(dumped);
  const within = [0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(dumped.length * part) | 1);
  for (const bytes of [512 * 3, ...within, dumped.length - 2_000_000])
    await expect(check(dumped.subarray(0, bytes))).rejects.toThrow(
      /^The file is not a complete backup of ClickHouse: Unexpected end of data/,
    );
  const counted = Buffer.from(dumped);
  counted.write(' 399999', counted.lastIndexOf(' 400000'));
  await expect(check(counted)).rejects.toThrow('app.many has 400000 rows but 399999 were written');
});

test('a dump onto a full disk fails, and a stopped dump ends at once', async () => {
  const stopped = new AbortController();
  const place = await database.place(stopped.signal);
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  let taken = 0;
  const smallDisk = new Writable({
    write(chunk, _, done) {
      taken += chunk.length;
      done(taken > 1_000_000 ? full : null);
    },
  });
  await expect(clickhouseData.archive.dump(place, smallDisk)).rejects.toThrow();
  expect(smallDisk.errored).toBe(full);

  const disk = new Writable({
    write(_chunk, _, done) {
      stopped.abort(new Error('stopped'));
      done();
    },
  });
  await expect(clickhouseData.archive.dump(place, disk)).rejects.toThrow('stopped');
});

test('a restore into a server whose databases are gone creates them', async () => {
  const backup = await database.backUp();
  await run('DROP DATABASE `other db`');
  await withClient((client) => client.command({ query: 'DROP DATABASE app SYNC' }), 'system');
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  await expectWhole();
});

test('a restore removes what an earlier one could not, and keeps the data of an unfinished swap', async () => {
  const kept = ['longshore_before_aside', 'longshore_restore_half_1', 'longshore_swap_half'];
  const left = ['longshore_restore_left', 'longshore_restore_left_1', 'longshore_restore_left_2'];
  await run(...[...kept, ...left].map((name) => `CREATE DATABASE ${name}`));
  const context = testContext({ grant: async () => false });
  const spec = database.restoreSpec(await database.backUp());
  expect(await database.run(spec, { context })).toMatchObject({ code: 'switch_denied' });
  expect(await database.belongings()).toEqual(database.alone({ beside: kept }));
  await run(...kept.map((name) => `DROP DATABASE ${name}`));
});

test.each([
  ['before the first database', []],
  [
    'between two databases',
    ['RENAME DATABASE app TO longshore_before_%_1', 'RENAME DATABASE longshore_restore_%_1 TO app'],
  ],
  ["while no database has the live one's name", ['RENAME DATABASE app TO longshore_before_%_1']],
])('a swap whose runner dies %s is completed by its next start', async (_, done) => {
  const spec = database.restoreSpec(await database.backUp());
  await setAnswer(43);
  await database.runUntilSwitch(spec);
  const settings = 'SETTINGS check_table_dependencies = 0, check_referential_table_dependencies = 0';
  const statements = [
    'RENAME DATABASE longshore_restore_% TO longshore_swap_%',
    ...done.map((text) => `${text} ${settings}`),
  ];
  const suffix = spec.restoreId.replace(/^.*_/, '');
  await withClient(async (client) => {
    for (const text of statements) await client.command({ query: text.replaceAll('%', suffix) });
  }, 'system');
  expect(await database.recover(spec)).toMatchObject({ outcome: 'succeeded' });
  await expectWhole();
  await database.removeOldData();
  expect(await database.belongings()).toEqual(database.alone());
});

test('a restore whose last statement fails is undone, and the live views still pass rows on', async () => {
  const spec = database.restoreSpec(await database.backUp());
  await setAnswer(43);
  const before = await everything();
  const suffix = spec.restoreId.replace(/^.*_/, '');
  const grant = async () => {
    const step = "SELECT 'make', 9, '', '', 'SELECT throwIf(1, ''too late'')'";
    await run(`INSERT INTO longshore_restore_${suffix}.steps ${step}`);
    return true;
  };
  expect(await database.run(spec, { context: testContext({ grant }) })).toMatchObject({
    code: 'restore_failed',
    message: expect.stringMatching(/too late.*Nothing was changed/s),
  });
  expect(await everything()).toEqual(before);
  expect(await database.belongings()).toEqual(database.alone());
  await expectLiveViews();
});
