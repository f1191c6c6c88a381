import { expect, onTestFinished, test } from 'vitest';
import { watchSleep } from '../../../../runner/host/sleep/sleep-watch.ts';
import type { Route } from '../../../../runner/proxy/traffic.ts';
import { manualClock } from '../../../support/runner/manual-clock.ts';
import { silentLogger } from '../../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';

const minute = 60_000;
const route: Route = {
  ...{ serviceId: 'svc_1', deploymentId: 'dep_1', hostnames: [], hostPort: 0, sleepAfterMinutes: 5 },
  target: { type: 'container', address: '10.0.0.1', port: 80 },
};

test.each([
  ['back', 10 * minute],
  ['forward', -10 * minute],
])('a clock that is set %s by ten minutes changes nothing about when a service sleeps', async (_, ms) => {
  const clock = manualClock();
  const slept: string[] = [];
  const watch = watchSleep({
    ...{ clock, logger: silentLogger, wakes: temporaryDirectory() },
    traffic: { all: () => [route] },
    sleeper: {
      isAsked: () => false,
      wake: async () => null,
      async sleep(serviceId) {
        slept.push(serviceId);
        return true;
      },
    },
    requests: () => 0,
    connections: async () => 0,
  });
  onTestFinished(() => watch.stop());
  await clock.advance(3 * minute);
  clock.setBack(ms);
  await clock.advance(2 * minute);
  expect(slept).toEqual([]);
  await clock.advance(minute);
  expect(slept).toEqual(['svc_1']);
});
