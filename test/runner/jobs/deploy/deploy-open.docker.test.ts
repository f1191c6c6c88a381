/** What is open at a switch, with the real proxy and the real firewall: it goes on until it ends, or until the drain is over. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { listServiceContainers } from '../../../../runner/docker/containers.ts';
import { stopService } from '../../../../runner/host/tasks/stop-service.ts';
import { useOpenScene } from '../../../support/docker/use-open-scene.ts';
import type { Door } from '../../../support/real-world/exchange.ts';
import { startInternalCaller } from '../../../support/real-world/internal-caller.ts';
import {
  eventsClient,
  lateBytes,
  lateClient,
  pollClient,
  type StrangeClient,
  slowClient,
  socketClient,
  uploadClient,
  uploadedBytes,
} from '../../../support/real-world/strange-clients.ts';

const { fixture, deploy, doorsOf, allDoorsOf } = useOpenScene();

const started = async (clients: StrangeClient[]) => {
  await Promise.all(clients.map(({ begun }) => begun));
  await delay(500); // slow requests have no first byte: they have reached the app by then
  return clients;
};

/** On a busy machine. What the firewall dropped was silent for 30 s. */
const silentMaxMs = 3_000;

test('slow answers, polls, uploads and streams that are open at a switch go on to their end, through every door', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const first = await deploy('one');
  const doors = Object.entries(doorsOf(first));
  const clients = await started(
    doors.flatMap(([, door]) => [
      slowClient(door, 6_000),
      slowClient(door, 12_000),
      pollClient(door, 9_000),
      uploadClient(door, 8_000),
      eventsClient(door, 10_000),
    ]),
  );
  await deploy('two', first);
  const retired = fixture.retireNow();
  const endings = await Promise.all(clients.map(({ ending }) => ending));
  await retired;
  for (const { kind, how, text, tookMs, silentMs } of endings) {
    expect({ kind, how }).toEqual({ kind, how: 'answered' });
    expect(silentMs, kind).toBeLessThan(silentMaxMs);
    if (kind === 'upload') expect(text).toBe(`${uploadedBytes(8_000)} one`);
    if (kind === 'slow' || kind === 'poll') expect(text).toBe('done one');
    expect(tookMs, kind).toBeLessThan(13_500);
  }
  expect(endings).toHaveLength(doors.length * 5);
});

test('what is still open when the drain is over is ended so that the client sees it, and new requests never notice', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const stop = { drainSeconds: 12 };
  const first = await deploy('one', undefined, { stop });
  const doors = Object.values(doorsOf(first));
  const clients = await started(
    doors.flatMap((door) => [
      ...(door.over === 'http2' ? [] : [socketClient(door)]),
      eventsClient(door),
      slowClient(door, 60_000),
    ]),
  );
  await deploy('two', first, { stop });
  const from = performance.now();
  let ended = 0;
  const countEnds = clients.map(async ({ ending }) => {
    await ending;
    ended += 1;
  });
  const retired = fixture.retireNow();
  await delay(4_000);
  expect(ended).toBe(0);
  await Promise.all(countEnds);
  expect(performance.now() - from).toBeLessThan(20_000);
  await retired;
  for (const { kind, how, silentMs } of await Promise.all(clients.map(({ ending }) => ending))) {
    expect(how, kind).not.toBe('closed');
    // A stream without an end may end as if it were complete; an answer may not.
    if (kind === 'slow') expect(how).not.toBe('answered');
    expect(silentMs, kind).toBeLessThan(silentMaxMs);
  }
});

test('who reads an answer late, at any door, hears that it has ended: after the drain, of a replica, and at a stop', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const stop = { drainSeconds: 1 };
  const first = await deploy('one', undefined, { stop, replicas: 2 });
  const doors = Object.entries(await allDoorsOf(first));
  const { serviceId } = first;
  let live = first;
  const switches = [
    async () => {
      live = await deploy('two', live, { stop, replicas: 2 });
      await fixture.retireNow();
    },
    async () => {
      live = await deploy('three', live, { stop, replicas: 1 });
      await fixture.retireNow();
    },
    async () => {
      const host = { docker: fixture.host.docker, traffic: fixture.parts.traffic };
      const { dataDirectory } = fixture.parts;
      await stopService(
        { ...host, dataDirectory },
        { kind: 'stop-service', projectId: first.projectId, serviceId, deploymentId: live.deploymentId },
      );
    },
  ];
  for (const begin of switches) {
    const reads = new AbortController();
    const late = [...doors, ...doors].map(([door, at]) => ({ door, client: lateClient(at, reads.signal) }));
    await Promise.all(late.map(({ client }) => client.begun));
    await begin();
    const from = performance.now();
    reads.abort();
    const endings = late.map(async ({ door, client }) => ({ door, ...(await client.ending) }));
    const seen = await Promise.all(endings);
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(seen.filter(({ text }) => Number(text) >= lateBytes)).toEqual([]);
    // Caddy 2.6 ends an answer of unknown length that was cut as if it were complete.
    expect(seen.filter(({ door, how }) => door === 'internal' && how === 'answered')).toEqual([]);
  }
});

test('a version without a connection gets its signal at once, and one that is in use waits for the last of them', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const stop = { drainSeconds: 60 };
  const first = await deploy('one', undefined, { stop });
  const second = await deploy('two', first, { stop });
  let from = performance.now();
  await fixture.retireNow();
  expect(performance.now() - from).toBeLessThan(6_000);
  const socket = socketClient(doorsOf(second).name as Door);
  await socket.begun;
  const third = await deploy('three', second, { stop });
  from = performance.now();
  const retired = fixture.retireNow();
  await delay(8_000);
  expect(await versionsOf(third)).toBe(2);
  socket.close();
  await retired;
  expect(performance.now() - from).toBeLessThan(15_000);
  expect(await versionsOf(third)).toBe(1);
});

test('HTTP/2 announces no WebSockets (RFC 8441), so a browser opens one over HTTP/1.1 beside its HTTP/2 connection', {
  tags: 'slow',
}, async () => {
  const { name, port } = doorsOf(await deploy('one')).http2 as Door;
  const page = connectHttp2(`https://127.0.0.1:${port}`, { servername: name, rejectUnauthorized: false });
  const [settings] = await once(page, 'remoteSettings');
  expect(settings.enableConnectProtocol).not.toBe(true);
  const socket = socketClient({ name, port, over: 'tls' });
  await socket.begun;
  expect(page.closed).toBe(false);
  page.close();
  socket.close();
  expect(await socket.ending).toMatchObject({
    how: 'closed',
    text: expect.stringMatching(/^HTTP\/1\.1 101|one/),
  });
});

const versionsOf = async ({ serviceId }: DeploySpec) =>
  (await listServiceContainers(fixture.host.docker, serviceId)).length;

test('services that ask by the internal name get only good answers across deployments, and the new version at once on new connections', {
  tags: 'slow',
  timeout: 180_000,
}, async () => {
  const stop = { drainSeconds: 15 };
  let spec = await deploy('one', undefined, { stop });
  const caller = await startInternalCaller(fixture.host.docker, {
    projectId: spec.projectId,
    networkRange: fixture.parts.networkRange,
    url: `http://${spec.serviceSlug}:${spec.internalPort}/`,
  });
  try {
    await caller.seen();
    for (const [before, version] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      const retired: Promise<void>[] = [];
      spec = await deploy(version, spec, { stop });
      await delay(200);
      const during = await caller.seen();
      expect(Object.keys(during.kept).sort()).toEqual([before]);
      expect(Object.keys(during.fresh).filter((text) => text !== before && text !== version)).toEqual([]);
      retired.push(fixture.retireNow());
      await delay(2_000);
      const drained = await caller.seen();
      expect(drained.kept).toEqual({ [before]: expect.any(Number) });
      expect(drained.fresh).toEqual({ [version]: expect.any(Number) });
      expect(drained.slowestMs).toBeLessThan(silentMaxMs);
      await Promise.all(retired);
      await caller.seen();
      await delay(500);
      const after = await caller.seen();
      expect(after.kept).toEqual({ [version]: expect.any(Number) });
      expect(after.fresh).toEqual({ [version]: expect.any(Number) });
    }
  } finally {
    await caller.remove();
  }
});
