/** A full database is noticed by the runner's own look at it, and only while it lasts. The real server. */
import { expect, test } from 'vitest';
import { watchFull } from '../../../runner/databases/full-watch.ts';
import { observe } from '../../../runner/host/observe.ts';
import { ContainerUsage, type MeasuredContainer } from '../../../runner/metrics/container-usage.ts';
import { useDatabase } from '../../support/docker/use-databases.ts';
import { takeConnections } from '../../support/real-world/take-connections.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pw' };
const database = useDatabase({
  ...{ engine: 'postgres', image: 'postgres:17', env },
  engineSettings: { max_connections: '20' },
});

test('a service is in trouble while its database has no connection left, and no longer', async () => {
  const { docker, traffic } = database.fixture.parts;
  const usage = new ContainerUsage({ docker, exits: { of: () => [] } }, Date.now());
  let containers: MeasuredContainer[] = [];
  let changes = 0;
  let look = () => {};
  let isWaiting = Promise.withResolvers<void>();
  const clock = {
    now: () => Date.now(),
    after(_: number, work: () => void) {
      look = work;
      isWaiting.resolve();
      return () => {};
    },
  };
  const full = watchFull({ docker, clock, latest: () => ({ containers }), changed: () => void changes++ });
  const round = async () => {
    containers = await usage.measure(Date.now());
    await isWaiting.promise;
    isWaiting = Promise.withResolvers<void>();
    look();
    await isWaiting.promise;
    const seen = await observe({ docker, traffic, full });
    return seen.find(({ serviceId }) => serviceId === database.live.serviceId);
  };
  try {
    expect(await round()).toMatchObject({ state: 'running' });
    const taken = await takeConnections('postgres', { port: database.port, env });
    const sentence = expect.stringMatching(
      /^All 20 connections of this database are in use, 20 of them by app/,
    );
    expect(await round()).toMatchObject({
      state: 'running',
      reachable: true,
      trouble: { sentence, lastLines: [] },
    });
    await taken.release();
    await expect.poll(round, { timeout: 20_000 }).not.toHaveProperty('trouble');
    expect(changes).toBe(2);
  } finally {
    full.stop();
  }
});
