/** Databases whose connections are all in use by their own app: what is said, and whether the backup succeeds. The real servers. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import type { DatabaseAsk } from '../../../../../protocol/database.ts';
import { systemClock } from '../../../../../runner/base/clock.ts';
import { createDatabaseAnswers } from '../../../../../runner/databases/database-answers.ts';
import { type Database, type DatabaseImage, useDatabases } from '../../../../support/docker/use-databases.ts';
import { postgresValue } from '../../../../support/postgres-client.ts';
import { type TakenConnections, takeConnections } from '../../../../support/real-world/take-connections.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

type Image = DatabaseImage & { engineSettings: Record<string, string> };

const postgresEnv = { POSTGRES_DB: `we-ird 'db\\`, POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pw' };
const images = {
  postgres: {
    ...{ engine: 'postgres', image: 'postgres:17', env: postgresEnv },
    engineSettings: { max_connections: '20' },
  },
  timescale: {
    ...{ engine: 'timescale', image: 'timescale/timescaledb:latest-pg17' },
    env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pw' },
    engineSettings: { max_connections: '30' },
  },
  mysql: {
    ...{ engine: 'mysql', image: 'mysql:9' },
    env: { MYSQL_ROOT_PASSWORD: 'root', MYSQL_DATABASE: 'app', MYSQL_USER: 'app', MYSQL_PASSWORD: 'pw' },
    engineSettings: { max_connections: '20' },
  },
  redis: {
    ...{ engine: 'redis', image: 'redis:8', env: { REDIS_PASSWORD: 'pw' } },
    engineSettings: { maxclients: '100' },
  },
  openRedis: {
    ...{ engine: 'redis', image: 'redis:8', env: {} },
    engineSettings: { maxclients: '100' },
  },
  clickhouse: {
    ...{ engine: 'clickhouse', image: 'clickhouse/clickhouse-server:26.7' },
    env: { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'app', CLICKHOUSE_PASSWORD: 'pw' },
    engineSettings: { max_concurrent_queries: '10' },
  },
} as const satisfies Record<string, Image>;

const databases = useDatabases(images);

let taken: TakenConnections | undefined;
afterEach(async () => {
  await taken?.release();
  taken = undefined;
});

const take = async (name: keyof typeof images): Promise<TakenConnections> => {
  const { engine, env } = images[name];
  taken = await takeConnections(engine, { port: databases[name].port, env });
  return taken;
};

async function refusal({ fixture, live }: Database, ask: DatabaseAsk): Promise<unknown> {
  const { serviceId, source } = live;
  if (source.type !== 'database') throw new Error('no database');
  const answers = createDatabaseAnswers({ docker: fixture.parts.docker, clock: systemClock });
  try {
    return await answers.answer({ op: 'database', serviceId, engine: source.engine, ask }).then(
      () => 'answered',
      ({ code, message }) => ({ code, message }),
    );
  } finally {
    await answers.close();
  }
}

describe.each(['postgres', 'timescale', 'mysql'] as const)(
  '%s, all of whose connections its app has',
  (name) => {
    test('is backed up whole', async () => {
      const before = await databases[name].backUp();
      const { count } = await take(name);
      expect(count).toBeGreaterThan(10);
      const { tables, rows } = await databases[name].backUp();
      expect({ tables, rows }).toEqual({ tables: before.tables, rows: before.rows });
    });

    test.each([
      { action: 'tables' },
      { action: 'query', text: 'SELECT 1' },
      { action: 'rows', table: 'public.none', limit: 1, offset: 0 },
    ] as const)('says who has them when asked for $action', async (ask) => {
      await take(name);
      const { max_connections: max } = images[name].engineSettings;
      expect(await refusal(databases[name], ask)).toEqual({
        code: 'unavailable',
        message: expect.stringMatching(
          `^All ${max} connections of this database are in use, \\d+ of them by app[^:]*: end some of them, or raise max_connections in "engineSettings".$`,
        ),
      });
    });
  },
);

describe.each(['redis', 'openRedis', 'clickhouse'] as const)('%s, which is full', (name) => {
  const words = {
    redis:
      'All connections of this database are in use: end some of them, or raise maxclients in "engineSettings".',
    clickhouse:
      'All 10 places for queries of this database are in use: end some of them, or raise max_concurrent_queries in "engineSettings".',
  };

  test('is backed up whole when somebody leaves', async () => {
    const before = await databases[name].backUp();
    const { release } = await take(name);
    const context = testContext();
    const running = databases[name].run(databases[name].backupSpec(), { context });
    // ClickHouse itself lets the statement wait, and tells nobody.
    if (name === 'clickhouse') await delay(2_000);
    else expect(await context.printed(/Trying again/)).toBe(`${words.redis} Trying again for 5 minutes.`);
    await release();
    const { tables, rows } = before;
    expect(await running).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables, rows } } });
  });

  test.each([
    { action: 'tables' },
    { action: 'query', text: name === 'clickhouse' ? 'SELECT 1' : 'PING' },
  ] as const)('says what is full when asked for $action', async (ask) => {
    await take(name);
    expect(await refusal(databases[name], ask)).toEqual({
      code: 'unavailable',
      message: name === 'clickhouse' ? words.clickhouse : words.redis,
    });
  });
});

describe('PostgreSQL with more databases than it has places for replication', () => {
  const { env } = images.postgres;
  const names = Array.from({ length: 12 }, (_, index) => `other "${index}"`);

  test('is backed up and restored whole while its app has all connections', async () => {
    const { postgres } = databases;
    for (const name of names) {
      await postgresValue(postgres, env, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
      const login = { ...env, POSTGRES_DB: name };
      await postgresValue(postgres, login, 'CREATE TABLE t AS SELECT generate_series(1, 7) AS n');
    }
    await take('postgres');
    const backup = await postgres.backUp();
    expect(backup).toMatchObject({ tables: names.length, rows: 7 * names.length });
    expect(await postgres.run(postgres.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    await postgres.removeOldData();
  });
});

test("MySQL is backed up although its app is root, and has root's own connection, too", async () => {
  const { mysql } = databases;
  const { env } = images.mysql;
  const root = { ...env, MYSQL_USER: 'root', MYSQL_PASSWORD: env.MYSQL_ROOT_PASSWORD };
  taken = await takeConnections('mysql', { port: mysql.port, env: root });
  expect(taken.count).toBe(21);
  await mysql.backUp();
  expect(await refusal(mysql, { action: 'tables' })).toEqual({
    code: 'unavailable',
    message:
      'All connections of this database are in use: end some of them, or raise max_connections in "engineSettings".',
  });
});

test.each(Object.keys(images) as (keyof typeof images)[])('a full %s can be deployed again', async (name) => {
  await take(name);
  await databases[name].deployAgain();
  await taken?.release().catch(() => {}); // the server has ended them
  taken = undefined;
  expect(await databases[name].backUp()).toHaveProperty('checksum');
});
