/** ClickHouse from backups of another Longshore, by the runner's own job and the real server. */
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { extract, pack } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { testId } from '../../support/docker-host.ts';
import { type FileImportBench, fileImportBench, flipped } from '../../support/file-import.ts';
import { testContext } from '../../support/job-context.ts';

const env = { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'app', CLICKHOUSE_PASSWORD: 'secret' };
let bench: FileImportBench;
let backup: Buffer;

beforeAll(async () => {
  bench = await fileImportBench('clickhouse', 'clickhouse/clickhouse-server:26.7', env);
  await run('CREATE TABLE kept (answer Int32) ENGINE = MergeTree ORDER BY answer');
  await run('INSERT INTO kept SELECT number FROM numbers(1000)');
  await run('CREATE VIEW seen AS SELECT max(answer) AS most FROM app.kept');
  backup = await bench.backUp();
});
afterAll(() => bench?.fixture.remove());
beforeEach(async () => {
  await run('DROP VIEW IF EXISTS seen');
  for (const name of await tables()) await run(`DROP TABLE ${name}`);
});

async function withClient<T>(use: (client: ClickHouseClient) => Promise<T>): Promise<T> {
  const url = `http://127.0.0.1:${bench.live.hostPort}`;
  const client = createClient({ url, username: 'app', password: 'secret', database: 'app' });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const run = (query: string) => withClient(async (client) => void (await client.command({ query })));
const ask = (query: string) =>
  withClient(async (client) => {
    const answer = await client.query({ query, format: 'TabSeparated' });
    return (await answer.text()).split('\n').filter((line) => line !== '');
  });

const tables = () => ask("SELECT name FROM system.tables WHERE database = 'app' ORDER BY name");

/** The same file with another manifest. */
async function withManifest(change: (text: string) => string): Promise<Buffer> {
  const made = pack();
  const bytes = Array.fromAsync(made as unknown as AsyncIterable<Buffer>);
  const read = extract();
  read.end(backup);
  for await (const entry of read) {
    const content = Buffer.concat(await Array.fromAsync(entry as unknown as AsyncIterable<Buffer>));
    const { name } = entry.header;
    made.entry({ name }, name === 'manifest.json' ? Buffer.from(change(content.toString())) : content);
  }
  made.finalize();
  return Buffer.concat(await bytes);
}

test('a backup fills the database, tables and views; no file stays', async () => {
  expect(await bench.run(backup)).toMatchObject({ outcome: 'succeeded' });
  expect(await ask('SELECT most FROM seen')).toEqual(['999']);
  expect(await bench.files()).toEqual([]);
});

test('into what holds tables it is refused; with "replace" they are a backup', async () => {
  await run('CREATE TABLE mine ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n');
  expect(await bench.run(backup)).toMatchObject({ code: 'import_refused' });
  const done = await bench.run(backup, { safetyBackupId: testId('backup') });
  expect(done).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 1 } } });
  expect(await tables()).toEqual(['kept', 'seen']);
});

test.each([
  ['a text', async () => Buffer.from('id,n\n1,2\n'), /what is taken is a backup of ClickHouse/],
  ['a backup that was cut', async () => backup.subarray(0, -1500), /no whole backup of ClickHouse/],
  ['a backup with a bit flipped', async () => flipped(backup), /./],
  [
    'a backup that names the database of the server',
    () => withManifest((text) => text.replaceAll(/"database":\s*"app"/g, '"database": "system"')),
    /names the database system/,
  ],
])('%s is refused before anything is touched', async (_, file, why) => {
  await run('CREATE TABLE mine ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n');
  const context = testContext();
  const before = await bench.files();
  expect(await bench.run(await file(), { safetyBackupId: testId('backup') }, context)).toMatchObject({
    code: expect.stringMatching(/^import_/),
    message: expect.stringMatching(why),
  });
  expect(new Set(context.phases.map(({ phase }) => phase))).toEqual(new Set(['fetch']));
  expect([await tables(), await bench.files()]).toEqual([['mine'], before]);
});
