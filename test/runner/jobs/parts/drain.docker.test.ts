import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { labels } from '../../../../protocol/names.ts';
import { createContainer, inspectContainer, startContainer } from '../../../../runner/docker/containers.ts';
import { readLog } from '../../../../runner/docker/follow-log.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../../../runner/docker/networks/networks.ts';
import { drain } from '../../../../runner/jobs/parts/drain.ts';
import { retire } from '../../../../runner/jobs/parts/retire.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useTestHost } from '../../../support/docker/use-scenes.ts';
import { memoryTraffic } from '../../../support/runner/memory-traffic.ts';

const host = useTestHost();
const serviceId = testId('service');
const projectId = testId('project');
const port = 3000;
/** Says which signals it gets, and ends by none of them. */
const stubborn = `
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => console.log('got ' + signal));
  require('node:net').createServer((socket) => socket.pipe(socket)).listen(${port});
`;
let socket: Socket | undefined;

afterEach(() => void socket?.destroy());

async function version(stop: { signal?: string; graceSeconds?: number } = {}) {
  const network = await ensureProjectNetwork(host.docker, projectId, '10.213.0.0/20');
  const { id, address } = await withFreeAddress(host.docker, network, async (free) => {
    const created = await createContainer(host.docker, {
      ...{ name: `drain-${testId('deployment')}`, image: 'node:24-slim', env: {}, stop },
      ...{ networkId: network.id, address: free, memoryLimitMb: null, cpuLimit: null },
      settings: { command: ['node', '-e', stubborn] },
      labels: {
        [labels.instance]: host.docker.instance,
        [labels.service]: serviceId,
        [labels.role]: 'app',
        [labels.deployment]: testId('deployment'),
      },
    });
    return { id: created, address: free };
  });
  return { id, address };
}

async function served(stop?: Parameters<typeof version>[0]) {
  const { id, address } = await version(stop);
  await startContainer(host.docker, id);
  const endsAt = performance.now() + 20_000;
  for (;;) {
    socket = connect({ host: address, port });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isOpen) return { containerId: id, address };
    if (performance.now() > endsAt) throw new Error('it does not listen');
    await delay(50);
  }
}

/** Whether it has ended within this time. */
const endsWithin = (drained: Promise<void>, ms: number) =>
  Promise.race([drained.then(() => true), delay(ms, false)]);

const parts = () => ({ docker: host.docker, traffic: memoryTraffic(), dataDirectory: host.dataDirectory });
const hour = 3_600_000;

test('a drain lasts while somebody is connected to the container itself, and ends with that connection', {
  tags: 'slow',
}, async () => {
  const old = await served();
  const drained = drain(
    parts(),
    { ...old, serviceId, drainMs: hour, since: Date.now() },
    AbortSignal.timeout(60_000),
  );
  expect(await endsWithin(drained, 3_000)).toBe(false);
  socket?.end();
  expect(await endsWithin(drained, 10_000)).toBe(true);
});

test('a drain that began before the runner was restarted ends at its time', { tags: 'slow' }, async () => {
  const old = await served();
  const since = Date.now() - 58_000;
  const drained = drain(parts(), { ...old, serviceId, drainMs: 60_000, since }, AbortSignal.timeout(60_000));
  expect(await endsWithin(drained, 10_000)).toBe(true);
});

test('a long drain ends when there are four newer versions, and not before the usual time', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  const old = await served();
  for (let newer = 1; newer <= 3; newer += 1) await version();
  const long = { ...old, serviceId, drainMs: hour, since: Date.now() - 40_000 };
  const few = drain(parts(), long, AbortSignal.timeout(60_000));
  expect(await endsWithin(few, 3_000)).toBe(false);
  await version();
  const young = drain(parts(), { ...long, since: Date.now() }, AbortSignal.timeout(60_000));
  expect(await endsWithin(few, 10_000)).toBe(true);
  expect(await endsWithin(young, 2_000)).toBe(false);
  socket?.end();
  await young;
});

test('a version that is retired gets the signal of its settings, is killed after its grace period, and its clients see the end', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  const old = await served({ signal: 'SIGINT', graceSeconds: 2 });
  const ended = once(socket as Socket, 'close');
  const seen: string[] = [];
  const signal = AbortSignal.timeout(40_000);
  const log = (async () => {
    for await (const lines of readLog(host.docker, old.containerId, { since: 0, follow: true }, signal))
      seen.push(...lines.map(({ text }) => text));
  })();
  const from = performance.now();
  await retire(parts(), { kind: 'container', ...old, serviceId, drainMs: 0, since: Date.now() }, signal);
  const took = performance.now() - from;
  await Promise.all([ended, log.catch(() => undefined)]);
  expect(seen).toEqual(['got SIGINT']);
  expect(took).toBeGreaterThan(1_900);
  expect(took).toBeLessThan(10_000);
  await expect(inspectContainer(host.docker, old.containerId)).rejects.toMatchObject({ status: 404 });
});
