/** What is open at a switch must not go on for ever: it ends so that its client sees it, at every door, and is never half open. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { inspectContainer, listServiceContainers } from '../../../../runner/docker/containers.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { keepAsking } from '../../../support/docker/keep-asking.ts';
import { useOpenScene } from '../../../support/docker/use-open-scene.ts';
import { type Door, exchange } from '../../../support/real-world/exchange.ts';
import {
  endsVisibly,
  goesOn,
  type OpenAtSwitch,
  openEverything,
  runningContainers,
} from '../../../support/real-world/open-at-switch.ts';
import { rawPort, releaseSignal } from '../../../support/real-world/real-app.ts';
import { until } from '../../../support/runner/until.ts';

const { fixture, proxy, deploy, doorsOf, allDoorsOf } = useOpenScene();
const slow = { tags: ['slow'], timeout: 120_000 };

async function opened(spec: DeploySpec): Promise<OpenAtSwitch> {
  const open = await openEverything(spec.serviceId, spec.internalPort, await allDoorsOf(spec));
  onTestFinished(() => open.close());
  return open;
}
const askAlways = ({ hostnames: [name = ''] }: DeploySpec) => keepAsking(proxy.config.httpPort, name, 4);
const newest = async ({ serviceId, deploymentId }: DeploySpec) =>
  (await listServiceContainers(fixture.host.docker, serviceId)).filter(
    (one) => one.labels['longshore.deployment'] === deploymentId,
  );

test(
  'without a drain, what is open is ended so that clients see it at every door, and new requests never notice',
  slow,
  async () => {
    const stop = { drainSeconds: 0 };
    const first = await deploy('one', undefined, { stop });
    const open = await opened(first);
    const load = askAlways(first);
    await deploy('two', first, { stop });
    expect(open.ended()).toEqual([]);
    await fixture.retireNow();
    const endings = await open.all();
    expect(endings.filter((one) => !endsVisibly(one))).toEqual([]);
    expect(await load.stop()).toMatchObject({ failures: [], bodies: ['one', 'two'] });
  },
);

test(
  'a version that crashes in the middle of its drain ends what it has open at once, and new requests never notice',
  slow,
  async () => {
    const first = await deploy('one');
    const [old] = await newest(first);
    const open = await opened(first);
    const load = askAlways(first);
    await deploy('two', first);
    const retired = fixture.retireNow();
    const { pid } = await inspectContainer(fixture.host.docker, old?.id ?? '');
    process.kill(pid, 'SIGKILL');
    const endings = await open.all();
    expect(endings.filter((one) => !endsVisibly(one))).toEqual([]);
    await retired;
    expect(await newest(first)).toEqual([]);
    expect(await load.stop()).toMatchObject({ failures: [], bodies: ['one', 'two'] });
  },
);

test(
  'a service with a volume ends its streams visibly, finishes answers in its grace period, and new requests wait',
  slow,
  async () => {
    const volumes = [{ id: testId('volume'), name: 'data', mountPath: '/data', sizeMb: null }];
    const more = { volumes, stop: { stopGraceSeconds: 60 } };
    const first = await deploy('one', undefined, more, 'with its answers');
    const [old] = await newest(first);
    const open = await opened(first);
    const load = askAlways(first);
    const replaced = deploy('two', first, more, 'with its answers');
    const streams = () => open.ended().filter(({ kind }) => kind === 'events' || kind === 'socket');
    await until('all streams to be ended', () => streams().length === 9);
    // The version got its signal, and has its grace period for the rest.
    expect(open.ended()).toHaveLength(9);
    expect(streams().filter((one) => !endsVisibly(one))).toEqual([]);
    expect((await inspectContainer(fixture.host.docker, old?.id ?? '')).running).toBe(true);
    const endings = await open.release();
    const answers = endings.filter(({ kind }) => kind === 'held' || kind === 'upload');
    expect(answers.filter((one) => !goesOn(one))).toEqual([]);
    await replaced;
    await fixture.retireNow();
    expect(await load.stop()).toMatchObject({ failures: [], bodies: ['one', 'two'] });
  },
);

test(
  'a worker that is replaced ends what other services have open to it, and they reach the new one',
  slow,
  async () => {
    const first = await deploy('one', undefined, { runtimeMode: 'worker', hostnames: [] });
    const { internal } = (await allDoorsOf(first)) as { internal: Door };
    const open = await openEverything(first.serviceId, first.internalPort, { internal });
    onTestFinished(() => open.close());
    await deploy('two', first);
    expect((await open.all()).filter((one) => !endsVisibly(one))).toEqual([]);
    const { sent, answer } = exchange(internal, 'GET', '/');
    sent.end();
    expect((await Array.fromAsync((await answer).body)).join('')).toBe('two');
  },
);

test(
  'a drain waits for clients that have ended their side, and for those that have not read all of an answer',
  slow,
  async () => {
    const first = await deploy('one');
    const [old] = await newest(first);
    const { pid } = await inspectContainer(fixture.host.docker, old?.id ?? '');
    const address = old?.address ?? '';
    const halfClosed = connect({ host: address, port: rawPort, allowHalfOpen: true });
    await once(halfClosed, 'connect');
    halfClosed.end();
    const { reader, bytes } = await unreadAnswer(address, first.internalPort, pid);
    await deploy('two', first);
    const retired = fixture.retireNow();
    await delay(3_000);
    expect(await newest(first)).toHaveLength(1);
    expect(await newest(first)).toMatchObject([{ running: true }]);
    expect(await readAll(reader)).toBeGreaterThanOrEqual(bytes);
    await delay(1_500);
    expect(await newest(first)).toMatchObject([{ running: true }]);
    await new Docker().getContainer(old?.id ?? '').kill({ signal: releaseSignal });
    const answer = (await Array.fromAsync(halfClosed)).join('');
    expect(answer).toBe('done one');
    await retired;
    expect(await newest(first)).toEqual([]);
  },
);

test(
  'a client that ends its side through the proxy gives its request up, and sees that at once',
  slow,
  async () => {
    const spec = await deploy('one');
    const { name, port } = doorsOf(spec) as { name: Door; port: Door };
    for (const door of [name, port]) {
      const client = connect({ host: '127.0.0.1', port: door.port, allowHalfOpen: true });
      client.end(`GET /held HTTP/1.1\r\nhost: ${door.name}\r\n\r\n`);
      const answer = (await Array.fromAsync(client)).join('');
      expect(answer).not.toContain('done');
    }
  },
);

/** An answer that the app has written and closed, and whose rest waits in the kernel because nobody reads. */
async function unreadAnswer(
  host: string,
  port: number,
  pid: number,
): Promise<{ reader: Socket; bytes: number }> {
  for (let bytes = 100_000; bytes < 8_000_000; bytes *= 1.5) {
    const reader = connect({ host, port });
    reader.pause();
    await once(reader, 'connect');
    reader.write(`GET /large?bytes=${Math.round(bytes)} HTTP/1.1\r\nhost: app\r\n\r\n`);
    const isClosing = async () => / 04 /.test(await readFile(`/proc/${pid}/net/tcp6`, 'utf8'));
    const endsAt = performance.now() + 1_000;
    while (performance.now() < endsAt) {
      await delay(50);
      if (!(await isClosing())) continue;
      await delay(300);
      if (await isClosing()) return { reader, bytes: Math.round(bytes) };
    }
    reader.destroy();
  }
  throw new Error('no size leaves data in the kernel');
}

async function readAll(reader: Socket): Promise<number> {
  const parts = await Array.fromAsync(reader);
  return parts.reduce((sum: number, part: Buffer) => sum + part.length, 0);
}

test('a client that reads nothing sees the end as soon as it reads, at every door', slow, async () => {
  const stop = { drainSeconds: 1 };
  const first = await deploy('one', undefined, { stop });
  const doors = Object.entries(doorsOf(first));
  const asked = await Promise.all(doors.map(async ([door, at]) => ({ door, ...(await unread(at)) })));
  await deploy('two', first, { stop });
  await fixture.retireNow();
  expect(await runningContainers(first.serviceId)).toHaveLength(1);
  const ends = await Promise.all(
    asked.map(async ({ door, read }) => [door, await Promise.race([read(), delay(20_000, 'silent')])]),
  );
  expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(doors.map(([door]) => [door, 'cut'])));
});

/** Asks for more than all buffers on the way hold, and reads nothing yet. */
async function unread(door: Door): Promise<{ read: () => Promise<string> }> {
  const bytes = 64 * 2 ** 20;
  const { sent, answer } = exchange(door, 'GET', `/large?bytes=${bytes}`);
  sent.end();
  const { body } = await answer;
  await delay(500);
  const read = async () => {
    let seen = 0;
    try {
      for await (const part of body) seen += (part as Buffer).length;
    } catch {
      return 'cut';
    }
    return seen < bytes ? 'cut' : 'whole';
  };
  return { read };
}
