/** The table of properties for ClickHouse. */
import type { ClickHouseClient } from '@clickhouse/client';
import { vi } from 'vitest';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { asked, env, fixture, image as imageRef } from '../../../engines/clickhouse-fixture.ts';
import { type Proofs, propertyContract } from './property-contract.ts';

const image = { engine: 'clickhouse', image: imageRef, env } as const;
const { server, elsewhere } = useDatabases({ server: image, elsewhere: image });

const using = <T>(of: Database, use: (client: ClickHouseClient) => Promise<T>) =>
  asked({ host: '127.0.0.1', port: of.port }, env, use);
const run = (of: Database, ...statements: string[]) =>
  using(of, async (client) => {
    for (const query of statements) await client.command({ query });
  });
/** Ids are made anew. */
const asks = (query: string) => (of: Database) =>
  using(of, async (client) =>
    (await (await client.query({ query, format: 'TabSeparated' })).text()).replace(
      /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      'id',
    ),
  );

/** The policies come from a file of the server: the stand-in keeps none that are made by SQL. */
const whole = 'test/runner/engines/clickhouse/whole-backup.docker.test.ts';
const secret = 'pass-of-a-dictionary';
const statements = [
  'CREATE DATABASE other',
  'CREATE TABLE other.values (id UInt8, f Float32, d Decimal(76, 30), u UInt256, t DateTime64(9), s LowCardinality(String)) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO other.values VALUES (1, nan, 1.000000000000000000000000000001, 115792089237316195423570985008687907853269984665640564039457584007913129639935, '2020-01-02 03:04:05.123456789', 'ü\\0')",
  `CREATE TABLE other.indexed (id UInt32 COMMENT 'it''s', n UInt32 DEFAULT id * 2, INDEX of_n n TYPE minmax GRANULARITY 1,
    PROJECTION by_n (SELECT n, count() GROUP BY n), CONSTRAINT small CHECK id < 100) ENGINE = MergeTree ORDER BY id PARTITION BY id % 2 COMMENT 'a "table"'`,
  'INSERT INTO other.indexed (id) VALUES (1), (2)',
  'CREATE FUNCTION app_doubled AS (x) -> x * 2',
  'CREATE VIEW other.doubled AS SELECT app_doubled(id) AS twice FROM other.indexed',
  'CREATE MATERIALIZED VIEW other.summed ENGINE = SummingMergeTree ORDER BY id POPULATE AS SELECT id, n FROM other.indexed',
  'CREATE MATERIALIZED VIEW other.refreshed REFRESH EVERY 1 YEAR (a UInt64) ENGINE = Memory EMPTY AS SELECT number AS a FROM numbers(3)',
  'CREATE TABLE other.members (a UInt64) ENGINE = Set',
  `CREATE DICTIONARY other.lookup (id UInt64, n UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(HOST '127.0.0.1' PORT 9000 USER 'nobody' PASSWORD '${secret}' QUERY 'SELECT 1 AS id, 7 AS n')) LAYOUT(FLAT()) LIFETIME(0)`,
  'CREATE TABLE other.parts (n UInt32) ENGINE = MergeTree ORDER BY n PARTITION BY n',
  'INSERT INTO other.parts VALUES (1), (2)',
  'ALTER TABLE other.parts DETACH PARTITION 2',
];
const statementsOf = (condition: string) =>
  asks(
    `SELECT name, create_table_query FROM system.tables WHERE database = 'other' AND ${condition} ORDER BY name SETTINGS format_display_secrets_in_show_and_select = 1`,
  );

const proofs: Proofs = {
  'all databases of the server': {
    kept: asks(
      "SELECT name FROM system.databases WHERE engine = 'Atomic' AND name NOT IN ('default', 'system') AND NOT startsWith(name, 'longshore_') ORDER BY 1",
    ),
  },
  'exact values': { kept: asks('SELECT * FROM other.values'), listed: /the rows of other\.members/ },
  'indexes, constraints, sequences': { kept: statementsOf("name IN ('indexed', 'parts')") },
  'views, functions, triggers': {
    kept: async (of) => [
      await statementsOf("name = 'doubled'")(of),
      await asks('SELECT twice FROM other.doubled ORDER BY 1')(of),
    ],
  },
  'rows of materialized views': {
    kept: asks('SELECT * FROM other.summed ORDER BY id'),
    listed: /^Refreshable views that keep their own rows run once more .*: other\.refreshed/,
  },
  'policies (row level security)': {
    listed: {
      file: whole,
      test: 'a backup holds the passwords of dictionaries, and names what it does not hold',
    },
    refused: {
      file: whole,
      test: 'a backup by a user from whom a row policy hides rows is refused with a sentence that says what to do',
    },
  },
  'comments, collations, statistics objects': {
    kept: asks(
      "SELECT * FROM (SELECT comment FROM system.tables WHERE database = 'other' AND comment <> '' UNION ALL SELECT comment FROM system.columns WHERE database = 'other' AND comment <> '') ORDER BY 1",
    ),
  },
  'passwords of dictionaries': { kept: statementsOf(`position(create_table_query, '${secret}') > 0`) },
  'settings of the server': {
    listed: /^Settings of the server that were changed since its deployment .*: max_table_size_to_drop\.$/,
  },
  'detached parts': { listed: /^Not in the backup: detached parts of other\.parts/ },
};

/** The stand-in reads its files only when it starts. */
async function changeSetting(): Promise<void> {
  const file = '<clickhouse><max_table_size_to_drop>123456</max_table_size_to_drop></clickhouse>';
  await server.printed(['sh', '-c', `echo '${file}' > /etc/clickhouse-server/config.d/late.xml`]);
  await server.fixture.parts.docker.engine.getContainer(stable(server.live)).restart();
  await vi.waitFor(() => asks('SELECT 1')(server), { timeout: 60_000 });
}

propertyContract({
  ...{ engine: 'clickhouse', server, elsewhere, proofs },
  addToBoth: () => run(server, 'INSERT INTO kept_busy VALUES (1), (2)'),
  async fill() {
    await changeSetting();
    await fixture.fill({ host: '127.0.0.1', port: server.port }, env);
    await run(server, 'CREATE TABLE kept_busy (n Int8) ENGINE = MergeTree ORDER BY n', ...statements);
  },
});
