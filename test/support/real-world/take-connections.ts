/** An app whose pool is larger than its database allows: it takes every connection that it can get, and keeps it. */
import { setTimeout as delay } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import type { EngineName } from '../../../protocol/database.ts';

interface Place {
  /** On 127.0.0.1. */
  port: number;
  /** The environment of the container, with the login. */
  env: Readonly<Partial<Record<string, string>>>;
}

export interface TakenConnections {
  count: number;
  release(): Promise<void>;
}

type Release = () => unknown;
/** Takes one more connection. @throws the driver's error if there are no more */
type Take = (place: Place) => Promise<Release>;

/** More than any test's limit. */
const takenMax = 500;
/** A connection that was just closed becomes free after this time. */
const againMs = 300;

/** Takes connections until the database refuses one; for ClickHouse, running queries. */
export async function takeConnections(engine: EngineName, place: Place): Promise<TakenConnections> {
  const taken: Release[] = [];
  const release = async () => void (await Promise.all(taken.splice(0).map((one) => one())));
  for (let isRefused = false; taken.length < takenMax; ) {
    try {
      taken.push(await takers[engine](place));
      isRefused = false;
    } catch {
      if (isRefused) return { count: taken.length, release };
      isRefused = true;
      await delay(againMs);
    }
  }
  await release();
  throw new Error(`${engine} still gives connections after ${takenMax}`);
}

const host = '127.0.0.1';

const postgres: Take = async ({ port, env }) => {
  const login = { user: env.POSTGRES_USER, password: env.POSTGRES_PASSWORD, database: env.POSTGRES_DB };
  const client = new pg.Client({ host, port, ...login });
  client.on('error', () => {});
  await client.connect();
  return () => client.end();
};

const mysql: Take = async ({ port, env }) => {
  const { MYSQL_USER: user = '', MYSQL_PASSWORD: password = '', MYSQL_DATABASE: database = '' } = env;
  const connection = await createConnection({ host, port, user, password, database });
  connection.on('error', () => {});
  return () => connection.end();
};

const redis: Take = async ({ port, env }) => {
  const client = new Redis({
    ...{ host, port, password: env.REDIS_PASSWORD ?? '' },
    ...{ lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false, maxRetriesPerRequest: 0 },
  });
  client.on('error', () => {});
  await client.connect();
  await client.ping();
  return () => client.disconnect();
};

const mongodb: Take = async ({ port, env }) => {
  const { MONGO_INITDB_ROOT_USERNAME: username = '', MONGO_INITDB_ROOT_PASSWORD: password = '' } = env;
  const client = new MongoClient(`mongodb://${host}:${port}/`, {
    ...{ auth: { username, password }, authSource: 'admin', directConnection: true },
    ...{ maxPoolSize: 1, serverSelectionTimeoutMS: 2_000 },
  });
  await client.connect();
  return () => client.close();
};

/** ClickHouse counts running queries, not connections. */
const clickhouse: Take = async ({ port, env }) => {
  const client = createClient({
    url: `http://${host}:${port}`,
    ...{ username: env.CLICKHOUSE_USER ?? '', password: env.CLICKHOUSE_PASSWORD ?? '' },
    log: { level: ClickHouseLogLevel.OFF },
    request_timeout: 600_000,
  });
  // The rows arrive slowly, and the answer begins with the first row.
  const { stream } = await client.exec({
    query: 'SELECT sleepEachRow(1) FROM numbers(300)',
    clickhouse_settings: { max_block_size: '1', function_sleep_max_microseconds_per_block: '0' },
  });
  stream.on('error', () => {});
  stream.resume();
  return () => client.close();
};

const takers: Readonly<Record<EngineName, Take>> = {
  ...{ postgres, timescale: postgres, mysql, redis, mongodb, clickhouse },
};
