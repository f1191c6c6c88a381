/** Settings of database servers: those that follow from the memory limit, those that the user chose, and those with which a server does not start. */
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { withClient } from '../../../../runner/engines/postgres/archive/with-client.ts';
import { databaseEngines } from '../../../../worker/domain/databases/database-engines.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { postgresValue } from '../../../support/postgres-client.ts';

type EngineName = keyof typeof databaseEngines;

const fixture = useDeployFixture();

const password = 'secret';
const secrets = {
  env: {
    POSTGRES_DB: 'app',
    POSTGRES_USER: 'app',
    POSTGRES_PASSWORD: password,
    MYSQL_DATABASE: 'app',
    MYSQL_ROOT_PASSWORD: password,
    REDIS_PASSWORD: password,
    MONGO_INITDB_ROOT_USERNAME: 'app',
    MONGO_INITDB_ROOT_PASSWORD: password,
    CLICKHOUSE_USER: 'app',
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_DB: 'app',
  },
};

interface Wanted {
  memoryLimitMb?: number | null;
  engineSettings?: Record<string, string>;
}

async function newSpec(engine: EngineName, wanted: Wanted): Promise<DeploySpec> {
  const [hostPort = 0] = await freePorts(1);
  return changed(
    fixture.spec({
      serviceId: testId('service'),
      hostPort,
      source: {
        type: 'database',
        engine,
        imageRef: databaseEngines[engine].image,
        publicAddress: '127.0.0.1',
        logicalReplication: false,
      },
    }),
    wanted,
  );
}

function changed(of: DeploySpec, { memoryLimitMb = null, engineSettings }: Wanted): DeploySpec {
  if (of.source.type !== 'database') throw new Error('no database');
  return fixture.spec({ memoryLimitMb, source: { ...of.source, engineSettings } }, of);
}

async function deployed(spec: DeploySpec): Promise<string> {
  const { result, context } = await fixture.deploy(spec, { secrets });
  expect(result.outcome, context.text()).toBe('succeeded');
  await fixture.retireNow();
  return context.text();
}

/** Runs statements in one session; returns the first column of the last answer. */
const sql = ({ hostPort: port }: DeploySpec, ...statements: string[]) =>
  postgresValue({ port }, secrets.env, ...statements);

async function mysqlVariables({ hostPort: port }: DeploySpec, names: string): Promise<unknown> {
  const connection = await createConnection({ host: '127.0.0.1', port, user: 'root', password });
  try {
    const [rows] = await connection.query({ sql: `SELECT ${names}`, rowsAsArray: true });
    return (rows as unknown[])[0];
  } finally {
    connection.destroy();
  }
}

async function redis<T>({ hostPort: port }: DeploySpec, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ host: '127.0.0.1', port, password, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

describe('PostgreSQL', () => {
  let live: DeploySpec;

  beforeAll(async () => {
    live = await newSpec('postgres', { memoryLimitMb: 1024 });
    expect(await deployed(live)).toContain(
      'Settings for a memory limit of 1024 MB: shared_buffers = 256MB, effective_cache_size = 768MB, max_connections = 102, work_mem = 2570kB, maintenance_work_mem = 64MB.',
    );
  });

  test('a parallel hash join has the shared memory that it needs', async () => {
    const join = `SELECT count(*)::int FROM big a JOIN big b ON a.k = b.k AND a.m = b.m`;
    const found = await sql(
      live,
      `CREATE TABLE big AS SELECT n AS k, md5(n::text) AS m FROM generate_series(1, 1000000) n`,
      'ANALYZE big',
      "SET work_mem = '128MB'",
      'SET hash_mem_multiplier = 4',
      'SET parallel_setup_cost = 0',
      'SET parallel_tuple_cost = 0',
      'SET min_parallel_table_scan_size = 0',
      join,
    );
    expect(found).toBe(1_000_000);
    await sql(live, 'DROP TABLE big');
  });

  test('ALTER SYSTEM has precedence over the memory limit, and a chosen setting over both', async () => {
    expect(await sql(live, 'SHOW max_connections')).toBe('102');
    await sql(live, 'ALTER SYSTEM SET max_connections = 77');
    await sql(live, "ALTER SYSTEM SET work_mem = '9MB'");
    const engineSettings = {
      work_mem: '12MB',
      shared_preload_libraries: 'pg_stat_statements',
      statement_timeout: '30s',
    };
    live = changed(live, { memoryLimitMb: 512, engineSettings });
    await deployed(live);
    expect(await sql(live, 'SHOW max_connections')).toBe('77');
    expect(await sql(live, 'SHOW shared_buffers')).toBe('128MB');
    expect(await sql(live, 'SHOW work_mem')).toBe('12MB');
    expect(await sql(live, 'SHOW statement_timeout')).toBe('30s');
    expect(
      await sql(live, 'CREATE EXTENSION pg_stat_statements', 'SELECT count(*) > 0 FROM pg_stat_statements'),
    ).toBe(true);
  });

  test("limits of time do not apply to Longshore's own work on the data", async () => {
    const address = { host: '127.0.0.1', port: live.hostPort };
    const place = { address, env: secrets.env, signal: AbortSignal.timeout(60_000) };
    const { rows } = await withClient(place, undefined, (client) => client.query('SHOW statement_timeout'));
    expect(rows).toEqual([{ statement_timeout: '0' }]);
  });

  test('without a limit PostgreSQL has its own defaults', async () => {
    live = changed(live, {});
    expect(await deployed(live)).not.toContain('Settings for');
    expect(await sql(live, 'SHOW shared_buffers')).toBe('128MB');
    expect(await sql(live, 'SHOW effective_cache_size')).toBe('4GB');
  });

  test('settings with which it does not start leave the old container serving, and the sentence quotes it', async () => {
    const spec = changed(live, { engineSettings: { shared_preload_libraries: 'nowhere' } });
    const { result } = await fixture.deploy(spec, { secrets });
    expect(result).toMatchObject({
      code: 'health_failed',
      message: expect.stringContaining('It printed: '),
    });
    expect(result).toMatchObject({ message: expect.stringContaining('could not access file "nowhere"') });
    await expect.poll(() => sql(live, 'SELECT 1').catch(() => 0), { timeout: 30_000 }).toBe(1);
  });
});

test('TimescaleDB keeps its own library beside the chosen ones', async () => {
  const engineSettings = { shared_preload_libraries: 'pg_stat_statements' };
  const spec = await newSpec('timescale', { memoryLimitMb: 512, engineSettings });
  await deployed(spec);
  expect(await sql(spec, 'SHOW shared_preload_libraries')).toBe('timescaledb,pg_stat_statements');
  expect(await sql(spec, 'SHOW shared_buffers')).toBe('128MB');
});

describe('MySQL', () => {
  let live: DeploySpec;

  beforeAll(async () => {
    const engineSettings = { sql_mode: 'STRICT_ALL_TABLES,NO_ZERO_DATE', default_time_zone: '+02:00' };
    live = await newSpec('mysql', { memoryLimitMb: 1024, engineSettings });
    await deployed(live);
  });

  test('MySQL follows the memory limit and the chosen settings', async () => {
    const names = '@@innodb_buffer_pool_size, @@max_connections, @@global.sql_mode, @@global.time_zone';
    expect(await mysqlVariables(live, names)).toEqual([
      512 * 2 ** 20,
      85,
      'STRICT_ALL_TABLES,NO_ZERO_DATE',
      '+02:00',
    ]);
  });

  test('settings with which it does not start leave the old container serving, and the sentence quotes it', async () => {
    const spec = changed(live, { engineSettings: { collation_server: 'nowhere_ci' } });
    const { result, context } = await fixture.deploy(spec, { secrets });
    expect(result, context.text()).toMatchObject({ message: expect.stringContaining('It printed: ') });
    expect(result).toMatchObject({ message: expect.stringMatching(/nowhere_ci/) });
    const answer = () => mysqlVariables(live, '1').catch(() => undefined);
    await expect.poll(answer, { timeout: 60_000 }).toEqual([1]);
  });
});

describe('Redis', () => {
  let live: DeploySpec;
  const value = 'x'.repeat(1_000_000);
  /** @returns how many values of 1 MB it took */
  const fill = (client: Redis, values: number) =>
    Array.from({ length: values }).reduce<Promise<number>>(async (before, _, at) => {
      await before;
      await client.set(`key-${at}`, value);
      return at + 1;
    }, Promise.resolve(0));

  beforeAll(async () => {
    live = await newSpec('redis', { memoryLimitMb: 128 });
    await deployed(live);
  });

  test("a write beyond the memory gets Redis' own error; the server is not killed and takes reads", async () => {
    await redis(live, async (client) => {
      await expect(fill(client, 120)).rejects.toThrow(/^OOM command not allowed/);
      expect(await client.strlen('key-0')).toBe(value.length);
    });
    const { State, RestartCount } = await inspect(fixture.host.docker, stable(live));
    expect([State.OOMKilled, RestartCount]).toEqual([false, 0]);
  });

  test('a deployment that ends an option of the running server says so', async () => {
    await redis(live, (client) => client.config('SET', 'notify-keyspace-events', 'KEA'));
    await redis(live, (client) => client.config('SET', 'maxmemory', '1mb'));
    live = changed(live, { memoryLimitMb: 128 });
    const log = await deployed(live);
    expect(log).toContain('Warning: notify-keyspace-events was "AKE" and is "". Options that are set');
    expect(await deployed(changed(live, { memoryLimitMb: 128 }))).not.toContain('Warning');
  });

  test('a chosen policy evicts instead, also after the next deployment', async () => {
    const engineSettings = { 'maxmemory-policy': 'allkeys-lru', maxmemory: '50MB' };
    for (let deployment = 0; deployment < 2; deployment++) {
      live = changed(live, { memoryLimitMb: 128, engineSettings });
      await deployed(live);
      await redis(live, async (client) => {
        expect(await client.config('GET', 'maxmemory*')).toEqual(
          expect.arrayContaining(['maxmemory-policy', 'allkeys-lru', String(50 * 2 ** 20)]),
        );
        expect(await fill(client, 120)).toBe(120);
        expect(await client.dbsize()).toBeLessThan(60);
      });
    }
  });

  test('settings with which it does not start leave the old container serving, and the sentence quotes it', async () => {
    const spec = changed(live, { memoryLimitMb: 128, engineSettings: { appendfsync: 'sometimes' } });
    const { result } = await fixture.deploy(spec, { secrets });
    expect(result).toMatchObject({ message: expect.stringMatching(/It printed: >>> 'appendfsync/) });
    await expect
      .poll(() => redis(live, (client) => client.ping()).catch(() => ''), { timeout: 30_000 })
      .toBe('PONG');
  });
});

test('MongoDB gets a cache that fits the memory limit', async () => {
  const spec = await newSpec('mongodb', { memoryLimitMb: 2048, engineSettings: { slowms: '250' } });
  await deployed(spec);
  const { Args } = await inspect(fixture.host.docker, stable(spec));
  expect(Args.join(' ')).toMatch(/mongod --replSet .* --wiredTigerCacheSizeGB 0.5 --slowms 250/);
});

test('ClickHouse limits itself below the memory limit', async () => {
  const spec = await newSpec('clickhouse', {
    memoryLimitMb: 2000,
    engineSettings: { max_concurrent_queries: '33' },
  });
  await deployed(spec);
  const question = `SELECT name, value FROM system.server_settings WHERE name IN ('max_server_memory_usage', 'max_concurrent_queries') ORDER BY name FORMAT TSV`;
  const reply = await fetch(`http://127.0.0.1:${spec.hostPort}/`, {
    method: 'POST',
    body: question,
    headers: { 'X-ClickHouse-User': 'app', 'X-ClickHouse-Key': password },
  });
  expect(await reply.text()).toBe(`max_concurrent_queries\t33\nmax_server_memory_usage\t${1800 * 2 ** 20}\n`);
});
