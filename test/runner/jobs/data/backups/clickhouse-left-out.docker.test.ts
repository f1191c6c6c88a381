/** What ClickHouse holds outside the statements and stored rows of its tables: a backup names it. */
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { asked, env, image } from '../../../engines/clickhouse-fixture.ts';

const database = useDatabase({ engine: 'clickhouse', image, env });

const statements = [
  'CREATE TABLE source (id UInt8) ENGINE = MergeTree ORDER BY id',
  "CREATE TABLE waiting AS source ENGINE = Buffer('app', 'source', 1, 9999, 9999, 1000000, 1000000, 100000000, 100000000)",
  'INSERT INTO waiting VALUES (1)',
  'CREATE TABLE changing (id UInt8) ENGINE = MergeTree ORDER BY id',
  'INSERT INTO changing VALUES (1), (2)',
  'SYSTEM STOP MERGES changing',
  'ALTER TABLE changing DELETE WHERE id = 2 SETTINGS mutations_sync = 0',
  'CREATE TABLE apart (id UInt8) ENGINE = MergeTree ORDER BY id',
  'DETACH TABLE apart PERMANENTLY',
  "CREATE DATABASE blank COMMENT 'nothing yet'",
  'CREATE TABLE series ENGINE = TimeSeries SETTINGS allow_experimental_time_series_table = 1',
];

beforeAll(() =>
  asked({ host: '127.0.0.1', port: database.port }, env, async (client) => {
    for (const query of statements) await client.command({ query });
  }),
);

test('a backup names rows in buffers, unfinished mutations, detached tables, comments and empty databases', async () => {
  const backup = await database.backUp();
  expect(backup).toMatchObject({
    notKept: [
      'Not in the backup: rows that are still in the memory of app.waiting. OPTIMIZE TABLE writes them to their tables.',
      'Not in the backup: mutations of app.changing that have not ended. Send them again after a restore.',
      'Not in the backup: the detached tables app.apart. ATTACH TABLE brings them back.',
      'Not in the backup: the comments of the databases blank.',
      'Not in the backup: the databases blank, which are empty.',
    ],
  });
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
});
