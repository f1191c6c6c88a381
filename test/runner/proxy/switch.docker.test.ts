import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ask } from '../../support/docker/ask.ts';
import { keepAsking } from '../../support/docker/keep-asking.ts';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';

const switches = 10;

const host = useTestProxy();
let versions: TestApp[];
let chat: TestApp;

beforeAll(async () => {
  versions = await Promise.all(
    Array.from({ length: switches + 1 }, (_, index) => startApp(`127.9.1.${index + 1}`, `version ${index}`)),
  );
  chat = await startApp('127.9.2.1', 'chat');
  new WebSocketServer({ server: chat.server }).on('connection', (socket) => {
    socket.on('message', (message) => socket.send(message.toString()));
  });
  await host.proxy.traffic.switchTo(
    routeTo(chat, { serviceId: 'svc_chat', deploymentId: 'dep_chat', hostnames: ['chat.localhost'] }),
  );
});

afterAll(async () => {
  await Promise.all([...(versions ?? []), chat].map((app) => app?.close()));
});

const switchTo = (version: number) => {
  const app = versions[version];
  if (!app) throw new Error(`no version ${version}`);
  return host.proxy.traffic.switchTo(routeTo(app, { deploymentId: `dep_${version}` }));
};

test('ten switches under load lose no request, and the WebSocket of another app lives through them', async () => {
  await switchTo(0);
  const socket = new WebSocket(`ws://127.0.0.1:${host.config.httpPort}`, {
    headers: { host: 'chat.localhost' },
  });
  const echoes: string[] = [];
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.on('message', (message) => echoes.push(message.toString()));
  const closed = new Promise((resolve) => socket.once('close', resolve)).then(() => echoes.push('closed'));

  const load = keepAsking(host.config.httpPort, 'shop.localhost');
  await expect.poll(() => load.answers()).toBeGreaterThan(0);
  const durations: number[] = [];
  for (let version = 1; version <= switches; version += 1) {
    const from = performance.now();
    await switchTo(version);
    durations.push(performance.now() - from);
    socket.send(String(version));
    // New requests no longer reach the old version; those that it has are answered first, as in a deployment.
    const old = versions[version - 1] as TestApp;
    await host.proxy.traffic.drained(old.address, 10_000, new AbortController().signal);
    await old.close();
  }
  const { answers, failures, bodies, slowestMs } = await load.stop();

  console.info(
    `${answers} requests, ${failures.length} failed, slowest ${Math.round(slowestMs)} ms, switch ${Math.round(Math.min(...durations))} to ${Math.round(Math.max(...durations))} ms`,
  );
  expect(failures).toEqual([]);
  expect(answers).toBeGreaterThan(100);
  expect(bodies).toEqual(Array.from({ length: switches + 1 }, (_, index) => `version ${index}`));
  await expect.poll(() => echoes.length).toBe(switches);
  expect(echoes).not.toContain('closed');
  socket.terminate();
  await closed;
});

test('once a switch has resolved, no request gets the old version', async () => {
  const [one, two] = await Promise.all(
    ['one', 'two'].map((body, index) => startApp(`127.9.3.${index + 1}`, body)),
  );
  if (!one || !two) throw new Error('no apps');
  const more = { serviceId: 'svc_pair', hostnames: ['pair.localhost'] };
  try {
    for (const [index, app] of [one, two, one, two].entries()) {
      await host.proxy.traffic.switchTo(routeTo(app, { ...more, deploymentId: `dep_${index}` }));
      const load = keepAsking(host.config.httpPort, 'pair.localhost', 4);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { bodies, failures } = await load.stop();
      expect([bodies, failures]).toEqual([[app === one ? 'one' : 'two'], []]);
    }
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('draining waits for open connections to end and no longer', async () => {
  const app = await startApp('127.9.4.1', (request, response) => {
    if (request.url === '/slow') setTimeout(() => response.end('late'), 1_500);
    else response.end('quick');
  });
  const { traffic } = host.proxy;
  await traffic.switchTo(routeTo(app, { serviceId: 'svc_slow', hostnames: ['slow.localhost'] }));
  let answered = false;
  const slow = ask(host.config.httpPort, 'slow.localhost', { path: '/slow' }).then((reply) => {
    answered = true;
    return reply;
  });
  await expect.poll(() => openConnections(app)).toBe(1);
  await traffic.remove('svc_slow');
  await traffic.drained(app.address, 10_000, new AbortController().signal);
  expect(answered).toBe(true);
  expect((await slow).body).toBe('late');
  const from = performance.now();
  await traffic.drained(app.address, 10_000, new AbortController().signal);
  expect(performance.now() - from, 'not waited out, 10 s').toBeLessThan(8_000);
  await app.close();
});

const openConnections = (app: TestApp) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
