/** ClickHouse from backups of another Longshore, by the runner's own job and the real server. */
import { extract, pack } from 'tar-stream';
import { beforeAll, expect } from 'vitest';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { asked, image } from '../../../engines/clickhouse-fixture.ts';
import { clickhouseNumbers, clickhouseNumbersTable } from '../../../engines/numbers/clickhouse-numbers.ts';
import { storedNumbers } from '../../../engines/numbers/numbers-contract.ts';
import { fileImportContract, flipped } from './file-import-contract.ts';

const env = { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'app', CLICKHOUSE_PASSWORD: 'secret' };
const database = useDatabase({
  ...{ engine: 'clickhouse', image, env },
  beside: () => ask("SELECT name FROM system.databases WHERE name LIKE 'longshore_%'"),
});
const numbers = storedNumbers(clickhouseNumbers, { engine: 'clickhouse', env }, () => database.port);
let backup: Buffer;

beforeAll(async () => {
  await run('CREATE TABLE kept (answer Int32) ENGINE = MergeTree ORDER BY answer');
  await run('INSERT INTO kept SELECT number FROM numbers(1000)');
  await run('CREATE VIEW seen AS SELECT max(answer) AS most FROM app.kept');
  await run(clickhouseNumbersTable);
  await numbers.put();
  backup = await database.backUpBytes();
});

const withClient = <T>(use: Parameters<typeof asked<T>>[2]) =>
  asked({ host: '127.0.0.1', port: database.port }, env, use);
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

fileImportContract({
  database,
  files: [['a backup', () => backup]],
  async empty() {
    await run('DROP VIEW IF EXISTS seen');
    for (const name of await tables()) await run(`DROP TABLE ${name}`);
  },
  putMine: () => run('CREATE TABLE mine ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n'),
  holds: tables,
  mine: ['mine'],
  imported: ['kept', 'numbers', 'seen'],
  async expectImported() {
    expect(await ask('SELECT most FROM seen')).toEqual(['999']);
    expect(await ask('SELECT count() FROM kept')).toEqual(['1000']);
    await numbers.expectSame();
  },
  refused: [
    ['a text', () => Buffer.from('id,n\n1,2\n'), /is not a backup of ClickHouse/],
    ['a backup that was cut', () => backup.subarray(0, -1500), /not a complete backup of ClickHouse/],
    ['a backup with a bit flipped', () => flipped(backup), /./],
    [
      'a backup that names the database of the server',
      () => withManifest((text) => text.replaceAll(/"database":\s*"app"/g, '"database": "system"')),
      /names the database system/,
    ],
  ],
});
