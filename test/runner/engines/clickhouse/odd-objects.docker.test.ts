/**
 * Objects that a plain CREATE on another server refuses, or that do something when they are made: a backup by one server is loaded by
 * another that has nothing of the first.
 */
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ArchiveFile, DataPlace, DumpedContents } from '../../../../runner/engines/archive/archive.ts';
import { withServer } from '../../../../runner/engines/clickhouse/archive/server.ts';
import { clickhouseData } from '../../../../runner/engines/clickhouse/data.ts';
import { clickhouse } from '../../../../runner/engines/clickhouse.ts';
import { type EngineHost, startEngine } from '../../../support/docker/engine-container.ts';
import { asked, env, image } from '../clickhouse-fixture.ts';

const statements = [
  'CREATE TABLE words (k UInt64, v String) ENGINE = MergeTree ORDER BY k',
  "INSERT INTO words VALUES (1, 'one'), (2, 'two')",
  "CREATE DICTIONARY looked_up (k UInt64, v String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS k, ''one'' AS v')) LAYOUT(FLAT()) LIFETIME(0)",
  'CREATE TABLE joined (k UInt64, v String) ENGINE = Join(ANY, LEFT, k)',
  "INSERT INTO joined VALUES (1, 'one')",
  ...['MergeTree ORDER BY k', 'Memory'].flatMap((engine, at) => [
    `CREATE TABLE asking${at} (k UInt64, d String DEFAULT dictGet('app.looked_up', 'v', k), j String DEFAULT joinGet('app.joined', 'v', k), a String ALIAS dictGet('app.looked_up', 'v', k)) ENGINE = ${engine}`,
    `INSERT INTO asking${at} (k) VALUES (1)`,
  ]),
  'CREATE TABLE nested (id UInt8, n Nested(a UInt8, b String)) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 8192',
  "INSERT INTO nested VALUES (1, [(1, 'a')])",
  'CREATE TABLE flat (id UInt8, n Nested(a UInt8, b String)) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO flat VALUES (1, [1], ['a'])",
  'CREATE TABLE old_syntax (d Date, k UInt32) ENGINE = MergeTree(d, (k), 8192)',
  "INSERT INTO old_syntax VALUES ('2020-01-01', 1)",
  'CREATE TABLE low (x LowCardinality(Int32)) ENGINE = MergeTree ORDER BY tuple()',
  'INSERT INTO low SELECT number FROM numbers(300000)',
  'CREATE VIEW asked AS SELECT k FROM app.words WHERE k > {least:UInt64}',
  "CREATE VIEW braces AS SELECT '{least:UInt64}' AS text, v FROM app.words",
  'CREATE TABLE refreshed (k UInt64) ENGINE = MergeTree ORDER BY k',
  'CREATE MATERIALIZED VIEW refreshing REFRESH EVERY 1 YEAR APPEND TO app.refreshed EMPTY AS SELECT k FROM app.words',
];
/** Read after the restore, and equal to before. */
const questions = [
  'SELECT *, a FROM asking0',
  'SELECT *, a FROM asking1',
  'SELECT * FROM nested',
  'SELECT * FROM flat',
  'SELECT * FROM old_syntax',
  'SELECT sum(x), count() FROM low',
  'SELECT * FROM asked(least = 1)',
  'SELECT * FROM braces ORDER BY v',
  'SELECT count() FROM refreshed',
  "SELECT name, replaceRegexpAll(create_table_query, '[0-9a-f-]{36}', '') FROM system.tables WHERE database = 'app' ORDER BY name",
];

let [from, to]: EngineHost[] = [];
let before: string[];

const place = (host: EngineHost | undefined): DataPlace => ({
  address: host?.address ?? { host: '', port: 0 },
  env,
  tools: { run: () => Promise.reject(new Error('no tool is needed')) },
  signal: AbortSignal.timeout(120_000),
  progress: () => {},
});

const allAnswers = (host: EngineHost | undefined) =>
  asked(place(host).address, env, async (client) => {
    const answers: string[] = [];
    for (const query of questions)
      answers.push(await (await client.query({ query, format: 'TabSeparated' })).text());
    return answers;
  });

beforeAll(async () => {
  [from, to] = await Promise.all([startEngine(clickhouse, image, env), startEngine(clickhouse, image, env)]);
  await asked(place(from).address, env, async (client) => {
    const clickhouse_settings = {
      flatten_nested: 0,
      allow_suspicious_low_cardinality_types: 1,
      allow_deprecated_syntax_for_merge_tree: 1,
    } as const;
    for (const query of statements)
      await client.command({
        query,
        clickhouse_settings: query.includes('TABLE flat') ? {} : clickhouse_settings,
      });
  });
  before = await allAnswers(from);
});
afterAll(async () => {
  await from?.remove();
  await to?.remove();
});

async function dumped(): Promise<{ contents: DumpedContents; file: ArchiveFile }> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const contents = await clickhouseData.archive.dump(place(from), sink);
  const bytes = Buffer.concat(chunks);
  const open = () => Readable.from([bytes]);
  return { contents, file: { sizeBytes: bytes.length, open, pieces: open } };
}

test('defaults that ask dictionaries, nested columns, old engines, odd types and all kinds of views come back on a server that has nothing', async () => {
  const { contents, file } = await dumped();
  expect(contents.notKept).toEqual([]);
  await clickhouseData.archive.check(place(from), file);
  const data = await clickhouseData.archive.load(place(to), file, { suffix: 'one' });
  const { tables, rows } = contents;
  expect(await data.contents()).toEqual({ tables, rows });
  await data.swap();
  expect(await allAnswers(to)).toEqual(before);
});

test('a backup that the server breaks off, or refuses to read back, fails with the words of the server', async () => {
  const broken = withServer(place(from), async (server) => {
    const rows = await server.read(
      "SELECT throwIf(number = 3000000, 'bad row') FROM numbers(6000000) FORMAT Native",
    );
    for await (const _ of rows);
  });
  await expect(broken).rejects.toThrow(/bad row.*code 395, FUNCTION_THROW_IF_VALUE_IS_NON_ZERO/s);
  const refused = withServer(place(from), async (server) =>
    server.write(
      "INSERT INTO FUNCTION null('x LowCardinality(Int32)') FORMAT Native",
      await server.read('SELECT x, sipHash128(x) FROM app.low FORMAT Native'),
    ),
  );
  await expect(refused).rejects.toThrow(/allow_suspicious_low_cardinality_types/);
});

const asking = "dictGet('odd.asked', 'v', k)";
test.each([
  [
    'a TTL',
    `(k UInt64, d Date) ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 90 YEAR DELETE WHERE ${asking} = 'x'`,
  ],
  [
    'a projection',
    `(k UInt64, d Date, PROJECTION p (SELECT ${asking} AS a, count() GROUP BY a)) ENGINE = MergeTree ORDER BY k`,
  ],
  ['a constraint', `(k UInt64, d Date, CONSTRAINT c CHECK ${asking} <> 'x') ENGINE = MergeTree ORDER BY k`],
])(
  'a table with %s that asks a dictionary is listed, and is restored where the dictionary is',
  async (_, table) => {
    const run = (host: EngineHost | undefined, ...queries: string[]) =>
      asked(place(host).address, env, async (client) => {
        for (const query of queries) await client.command({ query });
      });
    const dictionary = [
      'CREATE DATABASE IF NOT EXISTS odd',
      "CREATE OR REPLACE DICTIONARY odd.asked (k UInt64, v String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS k, ''one'' AS v')) LAYOUT(FLAT()) LIFETIME(0)",
    ];
    await run(
      from,
      ...dictionary,
      `CREATE TABLE odd.asks ${table}`,
      "INSERT INTO odd.asks VALUES (1, '2020-01-01')",
    );
    const { contents, file } = await dumped();
    expect(contents.notKept).toEqual([
      expect.stringMatching(/^A restore of this backup fails on a server without .* of odd\.asks reads/),
    ]);
    await run(to, 'DROP DATABASE IF EXISTS odd SYNC');
    const restored = async () => {
      const data = await clickhouseData.archive.load(place(to), file, { suffix: 'two' });
      await data.discard();
    };
    await expect(restored()).rejects.toThrow(/odd\.asked.* not found/);
    await run(to, ...dictionary);
    await restored();
    await run(from, 'DROP DATABASE odd SYNC');
  },
);
