/** A service is never put to sleep under something that is open to it, whoever has it open and at which port. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../runner/base/clock.ts';
import { endProcesses, shellMark, shellVariable } from '../../../../runner/base/marked-processes.ts';
import { defaultShell, startShellExec } from '../../../../runner/docker/shell/shell-exec.ts';
import { connectionsOf, createSleeper } from '../../../../runner/host/sleep/sleeper.ts';
import { proxyPaths } from '../../../../runner/proxy/proxy-paths.ts';
import { useOpenScene } from '../../../support/docker/use-open-scene.ts';
import type { Door } from '../../../support/real-world/exchange.ts';
import { runningContainers } from '../../../support/real-world/open-at-switch.ts';
import { rawPort, releaseSignal } from '../../../support/real-world/real-app.ts';
import {
  eventsClient,
  heldClient,
  socketClient,
  uploadClient,
} from '../../../support/real-world/strange-clients.ts';
import { until } from '../../../support/runner/until.ts';

const { fixture, proxy, deploy, allDoorsOf } = useOpenScene();

test('a slow answer, an event stream, a WebSocket, an upload and a half-closed connection each keep a service awake', {
  tags: 'slow',
}, async () => {
  const { docker } = fixture.host;
  const spec = await deploy('one', undefined, { sleepAfterMinutes: 5 });
  const { traffic } = proxy.proxy;
  const sleeper = createSleeper({ docker, traffic, wakes: proxyPaths(proxy.dataDir).wakes });
  const route = () => traffic.current(spec.serviceId) as NonNullable<ReturnType<typeof traffic.current>>;
  const isUsed = async () => (await connectionsOf(docker, route())) > 0;
  const { name, internal } = (await allDoorsOf(spec)) as { name: Door; internal: Door };
  const target = route().target as { address: string };
  const halfClosed = () => {
    const socket = connect({ host: target.address, port: rawPort, allowHalfOpen: true });
    socket.end();
    const closed = once(socket.resume(), 'close');
    return { ending: closed, close: () => socket.destroy() };
  };
  const unended = new AbortController().signal;
  for (const door of [name, internal]) {
    for (const open of [heldClient, eventsClient, socketClient, (at: Door) => uploadClient(at, unended)]) {
      await until('nothing to be open', async () => !(await isUsed()));
      const client = open(door);
      await until('it to be open', isUsed);
      client.close();
      await client.ending;
    }
  }
  // Opened while it falls asleep: only the container itself shows them.
  for (const open of [() => heldClient(internal), halfClosed]) {
    await until('nothing to be open', async () => !(await isUsed()));
    let hasEnded = false;
    const client = open();
    void client.ending.then(() => (hasEnded = true));
    await until('it to be open', isUsed);
    expect(await sleeper.sleep(spec.serviceId, new AbortController().signal)).toBe(false);
    expect(hasEnded).toBe(false);
    // The app has to end a half-closed connection: its client has nothing left to say.
    for (const { id } of await runningContainers(spec.serviceId))
      await docker.engine.getContainer(id).kill({ signal: releaseSignal });
    await client.ending;
  }
  await until('nothing to be open', async () => !(await isUsed()));
  expect(await sleeper.sleep(spec.serviceId, new AbortController().signal)).toBe(true);
});

test('an open shell keeps a service awake, with a terminal and without one, and the service sleeps after its end', {
  tags: 'slow',
}, async () => {
  const { docker } = fixture.host;
  const spec = await deploy('shell', undefined, { sleepAfterMinutes: 5 });
  const { traffic } = proxy.proxy;
  const sleeper = createSleeper({ docker, traffic, wakes: proxyPaths(proxy.dataDir).wakes });
  const sleeps = () => sleeper.sleep(spec.serviceId, new AbortController().signal);
  const [container] = await runningContainers(spec.serviceId);
  if (!container) throw new Error('nothing runs');
  for (const terminal of [{ columns: 80, rows: 24 }, null]) {
    const mark = shellMark(docker.instance, `shl_${terminal ? 'terminal' : 'pipe'}`);
    const shell = await startShellExec(docker, container.id, {
      ...{ command: defaultShell, env: [`${shellVariable}=${mark}`], terminal },
    });
    expect(await sleeps()).toBe(false);
    shell.stream.resume().destroy();
    await endProcesses(systemClock, { mark, leader: shell.pid, container: 0 });
  }
  expect(await sleeps()).toBe(true);
});
