/**
 * The parts of each engine that tests need when they kill a runner during jobs on data: one value to distinguish old data from new, and its driver.
 */
import { randomBytes } from 'node:crypto';
import { createClient } from '@clickhouse/client';
import { Redis } from 'ioredis';
import { type Collection, MongoClient } from 'mongodb';
import { createConnection } from 'mysql2/promise';
import type { EngineName } from '../../../protocol/database.ts';
import type { UrlSourceKind } from '../../../protocol/import-source.ts';
import { withPostgres } from '../postgres-client.ts';

export interface KilledEngine {
  engine: EngineName;
  image: string;
  env: Record<string, string>;
  /** Creates the place for the value, which is then 0. */
  make(port: number): Promise<void>;
  set(port: number, value: number): Promise<void>;
  /** @throws if no connection is possible */
  get(port: number): Promise<number>;
  /**
   * The value in every other place that a backup contains and `set` writes: other databases, roles and accounts. An import from a URL does not
   * change them. Undefined: there are none.
   */
  others?(port: number): Promise<number[]>;
  /** Adds 3 MB that do not compress. */
  fatten(port: number): Promise<void>;
  /** Names of the objects that a restore or an import creates next to the live data in the same server. */
  beside(port: number): Promise<string[]>;
  /** Undefined: the engine has no import from a URL. */
  source?: UrlSourceKind;
  url(address: string): string;
}

const password = 'it is secret';
const fatBytes = 3_000_000;
const encoded = encodeURIComponent(password);

const postgresLike = (engine: 'postgres' | 'timescale', image: string): KilledEngine => {
  const login = { POSTGRES_USER: 'app', POSTGRES_PASSWORD: password, POSTGRES_DB: 'app' };
  const ask = (port: number, text: string) => withPostgres({ port }, login, (client) => client.query(text));
  return {
    engine,
    image,
    env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: password },
    async make(port) {
      await ask(port, 'CREATE TABLE kept AS SELECT 0 AS value');
      await ask(port, 'CREATE DATABASE second');
      await ask(port, 'CREATE ROLE limited LOGIN');
      await ask(port, 'CREATE EXTENSION hstore');
    },
    async set(port, value) {
      await ask(port, `UPDATE kept SET value = ${value}`);
      await ask(port, `ALTER DATABASE second CONNECTION LIMIT ${value}`);
      await ask(port, `ALTER ROLE limited CONNECTION LIMIT ${value}`);
    },
    others: async (port) =>
      (
        await ask(
          port,
          "SELECT datconnlimit AS value FROM pg_database WHERE datname = 'second' UNION ALL SELECT rolconnlimit FROM pg_roles WHERE rolname = 'limited'",
        )
      ).rows.map(({ value }) => value),
    get: async (port) => (await ask(port, 'SELECT value FROM kept')).rows[0].value,
    fatten: async (port) =>
      void (await ask(
        port,
        'CREATE TABLE fat AS SELECT sha512(n::text::bytea) AS bytes FROM generate_series(1, 50000) n',
      )),
    async beside(port) {
      const { rows } = await ask(port, "SELECT datname FROM pg_database WHERE datname LIKE 'longshore%'");
      const template = { ...login, POSTGRES_DB: 'template1' };
      const tried = await withPostgres({ port }, template, (client) =>
        client.query("SELECT extname AS datname FROM pg_extension WHERE extname = 'hstore'"),
      );
      return [...rows, ...tried.rows].map(({ datname }) => datname);
    },
    source: 'postgres-url',
    url: (address) => `postgres://app:${encoded}@${address}:5432/app`,
  };
};

const mysql: KilledEngine = {
  engine: 'mysql',
  image: 'mysql:9',
  env: { MYSQL_DATABASE: 'app', MYSQL_USER: 'app', MYSQL_PASSWORD: password, MYSQL_ROOT_PASSWORD: password },
  async make(port) {
    await askMysql(port, 'CREATE TABLE kept AS SELECT 0 AS value');
    await askMysql(port, "CREATE USER limited IDENTIFIED BY 'x'", 'root');
  },
  async set(port, value) {
    await askMysql(port, `UPDATE kept SET value = ${value}`);
    await askMysql(port, `ALTER USER limited WITH MAX_USER_CONNECTIONS ${value}`, 'root');
  },
  others: async (port) =>
    (
      await askMysql(
        port,
        "SELECT max_user_connections AS value FROM mysql.user WHERE user = 'limited'",
        'root',
      )
    ).map(({ value }) => Number(value)),
  get: async (port) => Number((await askMysql(port, 'SELECT value FROM kept'))[0]?.value),
  fatten: async (port) => {
    await askMysql(port, 'CREATE TABLE fat (bytes LONGBLOB)');
    for (let left = 4; left > 0; left--)
      await askMysql(
        port,
        'INSERT INTO fat SELECT RANDOM_BYTES(1024) FROM information_schema.COLUMNS LIMIT 1000',
      );
  },
  beside: async () => [],
  source: 'mysql-url',
  url: (address) => `mysql://app:${encoded}@${address}:3306/app`,
};

async function askMysql(port: number, text: string, user = 'app'): Promise<Record<string, unknown>[]> {
  const at = { host: '127.0.0.1', port, user, password, database: 'app' };
  const connection = await createConnection(at);
  const [rows] = await connection.query(text).finally(() => connection.destroy());
  return rows as Record<string, unknown>[];
}

const redis: KilledEngine = {
  engine: 'redis',
  image: 'redis:8',
  env: { REDIS_PASSWORD: password },
  make: (port) => redis.set(port, 0),
  set: async (port, value) => void (await askRedis(port, (client) => client.set('value', value))),
  get: async (port) => Number((await askRedis(port, (client) => client.get('value'))) ?? Number.NaN),
  fatten: async (port) => void (await askRedis(port, (client) => client.set('fat', randomBytes(fatBytes)))),
  beside: async () => [],
  source: 'redis-url',
  url: (address) => `redis://default:${encoded}@${address}:6379`,
};

async function askRedis<T>(port: number, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port, password, retryStrategy: () => null, lazyConnect: true });
  client.on('error', () => {});
  await client.connect();
  return await use(client).finally(() => client.disconnect());
}

const clickhouse: KilledEngine = {
  engine: 'clickhouse',
  image: 'clickhouse/clickhouse-server:26.7',
  env: { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'app', CLICKHOUSE_PASSWORD: password },
  make: async (port) => {
    await askClickhouse(port, 'CREATE TABLE kept (id Int32, value Int32) ENGINE = MergeTree ORDER BY id');
    await clickhouse.set(port, 0);
  },
  set: async (port, value) => {
    await askClickhouse(port, 'TRUNCATE TABLE kept');
    await askClickhouse(port, `INSERT INTO kept VALUES (1, ${value})`);
  },
  get: async (port) =>
    (await askClickhouse<{ value: number }>(port, 'SELECT value FROM kept'))[0]?.value ?? Number.NaN,
  fatten: async (port) =>
    await askClickhouse(
      port,
      'CREATE TABLE fat ENGINE = MergeTree ORDER BY tuple() AS SELECT randomString(1024) AS bytes FROM numbers(3000)',
    ).then(() => {}),
  beside: async (port) =>
    (
      await askClickhouse<{ name: string }>(
        port,
        "SELECT name FROM system.databases WHERE name LIKE 'longshore%'",
      )
    ).map(({ name }) => name),
  url: (address) => `http://app:${encoded}@${address}:8123/app`,
};

async function askClickhouse<Row>(port: number, query: string): Promise<Row[]> {
  const client = createClient({
    url: `http://127.0.0.1:${port}`,
    username: 'app',
    password,
    database: 'app',
  });
  try {
    if (!query.startsWith('SELECT')) {
      await client.command({ query });
      return [];
    }
    const answer = await client.query({ query, format: 'JSONEachRow' });
    return await answer.json<Row>();
  } finally {
    await client.close();
  }
}

const mongodb: KilledEngine = {
  engine: 'mongodb',
  image: 'mongo:7',
  env: { MONGO_INITDB_ROOT_USERNAME: 'app', MONGO_INITDB_ROOT_PASSWORD: password },
  make: (port) => mongodb.set(port, 0),
  set: async (port, value) =>
    void (await askMongo(port, (kept) => kept.updateOne({}, { $set: { value } }, { upsert: true }))),
  get: async (port) => (await askMongo(port, (kept) => kept.findOne()))?.value ?? Number.NaN,
  fatten: async (port) =>
    void (await askMongo(port, (kept) => kept.updateOne({}, { $set: { fat: randomBytes(fatBytes) } }))),
  beside: async () => [],
  source: 'mongodb-url',
  url: (address) => `mongodb://app:${encoded}@${address}:27017/`,
};

async function askMongo<T>(
  port: number,
  use: (kept: Collection<{ value: number; fat?: Buffer }>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    auth: { username: 'app', password },
    serverMonitoringMode: 'poll',
    serverSelectionTimeoutMS: 20_000,
  });
  try {
    return await use(client.db('app').collection('kept'));
  } finally {
    await client.close();
  }
}

export const killedEngines = {
  postgres: postgresLike('postgres', 'postgres:17'),
  timescale: postgresLike('timescale', 'timescale/timescaledb:latest-pg17'),
  mysql,
  redis,
  mongodb,
  clickhouse,
} satisfies Partial<Record<EngineName, KilledEngine>>;
