/** The runner looks at databases that may be full, and keeps a way into those that have none of their own. The real servers. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { EngineName } from '../../../protocol/database.ts';
import { watchFull } from '../../../runner/databases/full-watch.ts';
import { KeptWays } from '../../../runner/databases/kept-ways.ts';
import { observe } from '../../../runner/host/observe.ts';
import { ContainerUsage, type MeasuredContainer } from '../../../runner/metrics/container-usage.ts';
import { withRedis } from '../../support/docker/redis-source.ts';
import { type Database, useDatabases } from '../../support/docker/use-databases.ts';
import { takeConnections } from '../../support/real-world/take-connections.ts';

const images = {
  postgres: {
    ...{ engine: 'postgres', image: 'postgres:17' },
    env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pw' },
    engineSettings: { max_connections: '20' },
  },
  redis: {
    ...{ engine: 'redis', image: 'redis:8', env: { REDIS_PASSWORD: 'pw' } },
    engineSettings: { maxclients: '100' },
  },
  clickhouse: {
    ...{ engine: 'clickhouse', image: 'clickhouse/clickhouse-server:26.7' },
    env: { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'app', CLICKHOUSE_PASSWORD: 'pw' },
    engineSettings: { max_connections: '20' },
  },
} as const satisfies Record<string, { engine: EngineName } & Record<string, unknown>>;
const databases = useDatabases(images);

const take = (name: keyof typeof images) =>
  takeConnections(name, { port: databases[name].port, env: images[name].env });

/** A watch whose rounds are the test's. */
function watchOf({ fixture, live }: Database) {
  const { docker, traffic } = fixture.parts;
  const usage = new ContainerUsage({ docker, exits: { of: () => [] } }, Date.now());
  const ways = new KeptWays();
  let containers: MeasuredContainer[] = [];
  let changes = 0;
  let look = () => {};
  let isWaiting = Promise.withResolvers<void>();
  const clock = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after(_: number, work: () => void) {
      look = work;
      isWaiting.resolve();
      return () => {};
    },
  };
  const full = watchFull({
    ...{ docker, clock, ways },
    latest: () => ({ containers }),
    changed: () => void changes++,
  });
  return {
    ways,
    changes: () => changes,
    stop: () => full.stop(),
    /** @returns what is observed of the service after it */
    async round() {
      usage.changed();
      containers = await usage.measure(Date.now());
      await isWaiting.promise;
      isWaiting = Promise.withResolvers<void>();
      look();
      await isWaiting.promise;
      const seen = await observe({ docker, traffic, full });
      return seen.find(({ serviceId }) => serviceId === live.serviceId);
    },
  };
}

test('a service is in trouble while its database has no connection left, and no longer', async () => {
  const { round, changes, stop } = watchOf(databases.postgres);
  try {
    expect(await round()).not.toHaveProperty('trouble');
    const { release } = await take('postgres');
    const sentence = expect.stringMatching(
      /^All 20 connections of this database are in use, 20 of them by app/,
    );
    expect(await round()).toMatchObject({
      ...{ state: 'running', reachable: true },
      trouble: { sentence, lastLines: [] },
    });
    await release();
    await expect.poll(round, { timeout: 20_000 }).not.toHaveProperty('trouble');
    expect(changes()).toBe(2);
  } finally {
    stop();
  }
});

test('a ClickHouse that serves no further client is in trouble, says its setting, and is backed up when there is room', async () => {
  const { clickhouse } = databases;
  const { round, stop } = watchOf(clickhouse);
  const sockets = Array.from({ length: 20 }, () => connect({ host: '127.0.0.1', port: clickhouse.port }));
  // Each has a thread of the server while its request is not complete.
  for (const socket of sockets) socket.on('error', () => {}).write('GET /ping HTTP/1.1\r\n');
  try {
    const sentence =
      'All connections of this database are in use: end some of them, or raise max_connections';
    await expect
      .poll(round, { timeout: 40_000 })
      .toMatchObject({ trouble: { sentence: expect.stringContaining(sentence) } });
    setTimeout(() => sockets.map((socket) => socket.destroy()), 1_000);
    expect(await clickhouse.run(clickhouse.backupSpec())).toMatchObject({ outcome: 'succeeded' });
    await expect.poll(round, { timeout: 20_000 }).not.toHaveProperty('trouble');
  } finally {
    for (const socket of sockets) socket.destroy();
    stop();
  }
});

test('a full Redis is backed up by a connection that was kept, and has its own limit again afterwards', async () => {
  const { redis } = databases;
  const limit = () =>
    withRedis({ port: redis.port, password: 'pw' }, (client) => client.config('GET', 'maxclients'));
  const { round, ways, stop } = watchOf(redis);
  try {
    await withRedis({ port: redis.port, password: 'pw' }, (client) => client.set('a', '1'));
    await round();
    const { release } = await take('redis');
    expect(await round()).toMatchObject({ trouble: { sentence: expect.stringMatching(/maxclients/) } });
    const backup = () => redis.run(redis.backupSpec(), { parts: { ways } });
    expect(await backup()).toMatchObject({
      outcome: 'succeeded',
      facts: { archive: { tables: 1, rows: 1 } },
    });
    await release();
    expect(await limit()).toEqual(['maxclients', '100']);

    // A restart of the server ends the connection, and the next round opens another.
    await redis.fixture.parts.docker.engine
      .getContainer(`longshore-${redis.live.serviceId}-stable`)
      .restart();
    await expect.poll(() => limit().catch(() => []), { timeout: 20_000 }).toEqual(['maxclients', '100']);
    await round();
    const again = await take('redis');
    expect(await backup()).toMatchObject({ outcome: 'succeeded' });
    await again.release();
  } finally {
    stop();
  }
});

test('users of a full Redis outlive its next deployment, because the kept connection makes room to save them', async () => {
  const { redis } = databases;
  const login = { port: redis.port, password: 'pw' };
  const { round, ways, stop } = watchOf(redis);
  try {
    await withRedis(login, (client) => client.acl('SETUSER', 'ada', 'on', '>secret', '~*', '+@all'));
    await round();
    Object.assign(redis.fixture.parts, { ways });
    await take('redis');
    await redis.deployAgain();
    const users = () => withRedis(login, (client) => client.acl('USERS'));
    expect(await users()).toContain('ada');
  } finally {
    stop();
  }
});
