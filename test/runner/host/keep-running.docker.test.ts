/** Containers that somebody has stopped by hand, with real Docker. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ExitHistory } from '../../../runner/docker/events.ts';
import { keepRunning, lookMs } from '../../../runner/host/keep-running.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../../support/docker/live-container.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';

let host: TestHost;
beforeAll(async () => {
  host = await testHost();
});
afterAll(() => host?.remove());

type Given = {
  route?: Partial<Route['target']> & object;
  stopReason?: string;
  /** Whether a job works on it, by how often this was asked before. */
  hasJob?: (asked: number) => boolean;
};

/** A service that runs, is stopped by hand, and is looked at three times. @returns whether it runs then */
async function afterLooks({ route, stopReason, hasJob = () => false }: Given): Promise<boolean> {
  const { container, serviceId } = await createLiveContainer(host.docker, idle, {
    restart: 'unless-stopped',
  });
  await container.start();
  await container.stop({ t: 0 });
  const { Config } = await container.inspect();
  const clock = manualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const deploymentId = Config.Labels['longshore.deployment'] ?? '';
  let asked = 0;
  const exits = new ExitHistory();
  const target = { type: 'container', address: '127.0.0.1', port: 1, ...route } as Route['target'];
  void keepRunning(
    {
      ...{ docker: host.docker, clock, exits, logger: silentLogger, hasJob: () => hasJob(asked++) },
      stopReason: () => stopReason,
      traffic: {
        current: () => (route ? { serviceId, deploymentId, hostnames: [], hostPort: 0, target } : undefined),
      },
    },
    stopping.signal,
  );
  for (let look = 0; look < 3; look++) {
    await expect.poll(() => clock.waiting.includes(lookMs), { timeout: 20_000 }).toBe(true);
    await clock.advance(lookMs);
  }
  await expect.poll(() => clock.waiting.includes(lookMs), { timeout: 20_000 }).toBe(true);
  const isRunning = (await container.inspect()).State.Running;
  expect(exits.of(container.id)).toHaveLength(isRunning ? 1 : 0); // so it becomes an event
  return isRunning;
}

test.each<[string, Given]>([
  ['a web service', { route: {} }],
  ['a worker or a database', {}],
])('%s whose container was stopped by hand runs again', { tags: 'slow' }, async (_, given) => {
  expect(await afterLooks(given)).toBe(true);
});

test.each<[string, Given]>([
  ['is stopped by its owner', { route: { type: 'stopped' } }],
  ['sleeps', { route: { asleep: true } }],
  ['could not be woken', { route: { retryAt: 1 } }],
  ['is held while a job stops it', { route: { heldUntil: 1 } }],
  ['has a job', { route: {}, hasJob: () => true }],
  ['gets a job between the list of containers and its start', { route: {}, hasJob: (asked) => asked > 1 }],
  ['was stopped for its disk limit', { route: {}, stopReason: 'It is full.' }],
])('a service that %s is left alone', { tags: 'slow' }, async (_, given) => {
  expect(await afterLooks(given)).toBe(false);
});
