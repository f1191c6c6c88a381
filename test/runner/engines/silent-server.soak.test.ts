import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { mongodb } from '../../../runner/engines/mongodb.ts';
import { mysql } from '../../../runner/engines/mysql.ts';
import { postgres } from '../../../runner/engines/postgres.ts';
import { redis } from '../../../runner/engines/redis.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import { mongoEnv, mongoImage } from './mongodb-fixture.ts';
import { env as mysqlEnv, image as mysqlImage } from './mysql-fixture.ts';
import { env as postgresEnv } from './postgres-fixture.ts';
import { env as redisEnv, image as redisImage } from './redis-fixture.ts';

const caps = { timeoutMs: 6_000, rowsMax: 1_000, bytesMax: 1_000_000 };

const engines = [
  {
    engine: postgres,
    image: 'postgres:17',
    env: postgresEnv,
    change: 'CREATE TABLE slow AS SELECT 1 AS a FROM pg_sleep(5)',
    // Another question, which sees the first at work.
    atWork: `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE TABLE slow%'`,
    code: 'timeout',
  },
  {
    engine: mysql,
    image: mysqlImage,
    env: mysqlEnv,
    change: 'CREATE TABLE slow AS SELECT SLEEP(5) AS a',
    atWork: `SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'CREATE TABLE slow%'`,
    code: 'timeout',
  },
  {
    engine: mongodb,
    image: mongoImage,
    env: mongoEnv,
    // Goes over a connection that is open already.
    change: '{"insert": "people", "documents": [{"name": "Ada"}]}',
    atWork: undefined,
    code: 'timeout',
  },
  {
    engine: redis,
    image: redisImage,
    env: redisEnv,
    // Each has a connection of its own: it gets no further than to ask who is there, and nothing was done.
    change: 'SET name Ada',
    atWork: undefined,
    code: 'unavailable',
  },
];

describe.each(engines)('$engine.name falls silent:', ({ engine, image, env, change, atWork, code }) => {
  let host: EngineHost;
  let session: EngineSession;
  const ask = (text: string) => session.query({ action: 'query', text }, caps);

  beforeAll(async () => {
    host = await startEngine(engine, image, env);
    session = await engine.connect(host.address, env);
  });
  afterAll(async () => {
    await host?.resume().catch(() => {});
    await session?.close();
    await host?.remove();
  });

  test('a change sent to a silent server has an unknown outcome, and later questions are unavailable', async () => {
    const before = atWork === undefined ? undefined : ask(change).catch((error: unknown) => error);
    if (atWork !== undefined) {
      await expect.poll(async () => (await ask(atWork)).rows.length, { timeout: 10_000 }).toBeGreaterThan(0);
    }
    await host.pause();
    const refusal = await (before ?? ask(change).catch((error: unknown) => error));
    expect(refusal).toMatchObject({ code, message: expect.not.stringContaining('127.0.0.1') });
    await expect(engine.ping(host.address, env)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('does not answer: its container may be overloaded or stopped'),
    });
  });
});
