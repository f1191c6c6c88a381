/** What is told of a host's services, with real Docker. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { observe } from '../../../runner/host/observe.ts';
import type { Traffic } from '../../../runner/proxy/traffic.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../../support/docker/live-container.ts';

let host: TestHost;
beforeAll(async () => {
  host = await testHost();
});
afterAll(() => host?.remove());

test('a container that was taken from its network is not told of, as if it were gone, until it is back', async () => {
  const { docker } = host;
  const { container, serviceId } = await createLiveContainer(docker, idle);
  onTestFinished(() => container.remove({ force: true }));
  await container.start();
  const network = docker.engine.getNetwork('bridge');
  const traffic = { all: () => [], current: () => undefined } as unknown as Traffic;
  const told = async () =>
    (await observe({ docker, traffic })).filter((one) => one.serviceId === serviceId).length;
  expect(await told()).toBe(1);
  await network.disconnect({ Container: container.id, Force: true });
  expect(await told()).toBe(0);
  await network.connect({ Container: container.id });
  expect(await told()).toBe(1);
});
