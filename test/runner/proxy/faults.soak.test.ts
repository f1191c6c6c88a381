import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { proxyPaths } from '../../../runner/proxy/proxy-paths.ts';
import { startProxy } from '../../../runner/proxy/start-proxy.ts';
import { ask } from '../../support/docker/ask.ts';
import { keepAsking } from '../../support/docker/keep-asking.ts';
import {
  routeTo,
  startApp,
  startTestProxy,
  type TestApp,
  type TestProxy,
  testConfig,
} from '../../support/docker/test-proxy.ts';
import { until } from '../../support/runner/until.ts';

let host: TestProxy;
let shop: TestApp;

beforeEach(async () => {
  host = await startTestProxy();
  shop = await startApp('127.9.5.1', 'shop');
  await host.proxy.traffic.switchTo(routeTo(shop, { hostPort: host.config.webPorts.first }));
});

afterEach(async () => {
  await shop?.close();
  await host?.end();
});

const visit = () => ask(host.config.httpPort, 'shop.localhost');
const dead = (pid: number) => !existsSync(`/proc/${pid}`);

test('requests are held and none is lost when edge is killed', async () => {
  const load = keepAsking(host.config.httpPort, 'shop.localhost', 4);
  await expect.poll(() => load.answers()).toBeGreaterThan(10);
  const before = await host.pidOf('edge');
  process.kill(before, 'SIGKILL');
  await expect.poll(() => host.pidOf('edge'), { timeout: 60_000 }).not.toBe(before);
  const atReturn = load.answers();
  await expect.poll(() => load.answers(), { timeout: 60_000 }).toBeGreaterThan(atReturn + 10);
  const { failures, slowestMs } = await load.stop();
  console.info(`edge killed: slowest request ${Math.round(slowestMs)} ms; ${host.reports.join('; ')}`);
  expect(failures).toEqual([]);
});

test('a request whose question edge died with waits for the new edge, not for Go’s resolver (5 s)', async () => {
  const times: number[] = [];
  // A busy machine may start edge slowly; the resolver would wait each time.
  while (times.length < 4 && !times.some((ms) => ms < resolverWaitsMs)) {
    const before = await host.pidOf('edge');
    process.kill(before, 'SIGSTOP');
    const from = performance.now();
    // No answer about this name is remembered.
    const asked = ask(host.config.httpPort, `new-${times.length}.localhost`);
    await expect.poll(() => questionsAt(proxyPaths(host.dataDir).dnsSocket)).toBeGreaterThan(0);
    process.kill(before, 'SIGKILL');
    expect(await asked).toMatchObject({ status: 404 });
    times.push(performance.now() - from);
  }
  expect(Math.min(...times)).toBeLessThan(resolverWaitsMs);
});

/** Of a question over UDP; the limit is in Go's source, net/dnsconfig. */
const resolverWaitsMs = 5_000;

/** Connections to a unix socket that nobody has taken yet: they have its path, as the listening socket has. */
const questionsAt = (path: string) =>
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${path}`)).length - 1;

test.each(['edge', 'caddy'] as const)('%s is replaced when it is stuck (stopped)', async (name) => {
  const before = await host.pidOf(name);
  process.kill(before, 'SIGSTOP');
  await expect.poll(() => host.pidOf(name), { timeout: 60_000 }).not.toBe(before);
  await expect.poll(() => dead(before)).toBe(true);
  // The record is there before Caddy listens.
  await expect
    .poll(() => visit().catch(() => undefined), { timeout: 60_000 })
    .toMatchObject({ body: 'shop' });
});

test('Caddy serves again within 2 s when it is killed', async () => {
  const from = performance.now();
  process.kill(await host.pidOf('caddy'), 'SIGKILL');
  await expect
    .poll(() => visit().catch(() => undefined), { timeout: 60_000, interval: 20 })
    .toMatchObject({
      status: 200,
      body: 'shop',
    });
  const ms = performance.now() - from;
  console.info(`Caddy killed: back after ${Math.round(ms)} ms`);
});

test.each([
  { method: 'GET', keptConnections: 0 },
  // Go's HTTP client repeats a GET over a kept connection once; it can't tell whether the app has read it.
  { method: 'GET', keptConnections: 1 },
  { method: 'POST', keptConnections: 1 },
])(
  'a request that reached an app which breaks the connection is answered at once and not sent again: %o',
  async (sent) => {
    let cuts = 0;
    const cutter = await startApp('127.9.5.3', (request, response) => {
      if (request.url !== '/cut') return void response.end('whole');
      cuts += 1;
      request.socket.destroy();
    });
    onTestFinished(() => cutter.close());
    await host.proxy.traffic.switchTo(routeTo(cutter, { deploymentId: 'dep_cut' }));
    if (sent.keptConnections > 0) expect((await visit()).body).toBe('whole');
    const { method } = sent;
    const { status, ms } = await ask(host.config.httpPort, 'shop.localhost', { path: '/cut', method });
    expect(status).toBe(502);
    expect(cuts).toBeLessThanOrEqual(method === 'GET' ? 1 + sent.keptConnections : 1);
    expect(ms, 'not held for try_duration, 5 s').toBeLessThan(4_000);
  },
);

test('a Caddy that can’t come back is trouble of the host until it does', async () => {
  const { httpPort } = host.config;
  expect(host.proxy.trouble()).toBeNull();
  process.kill(await host.pidOf('caddy'), 'SIGKILL');
  const stranger = await until('its port to be free', () => listen(httpPort).catch(() => undefined));
  await expect.poll(() => host.proxy.trouble(), { timeout: 60_000 }).toContain(`Port ${httpPort} is used`);
  await stranger.close();
  await expect.poll(() => host.proxy.trouble(), { timeout: 60_000 }).toBeNull();
  expect((await visit()).body).toBe('shop');
});

test('edge and Caddy come back when both are killed', async () => {
  process.kill(await host.pidOf('edge'), 'SIGKILL');
  process.kill(await host.pidOf('caddy'), 'SIGKILL');
  await expect
    .poll(() => visit().catch(() => undefined), { timeout: 60_000, interval: 50 })
    .toMatchObject({ body: 'shop' });
});

test('a switch while edge is away counts once edge is back', async () => {
  const next = await startApp('127.9.5.2', 'next');
  process.kill(await host.pidOf('edge'), 'SIGKILL');
  await host.proxy.traffic.switchTo(routeTo(next, { deploymentId: 'dep_2' }));
  expect((await visit()).body).toBe('next');
  await next.close();
});

test('a second runner adopts both processes and finds the routes', async () => {
  const pids = [await host.pidOf('edge'), await host.pidOf('caddy')];
  await host.restart();
  expect([await host.pidOf('edge'), await host.pidOf('caddy')]).toEqual(pids);
  expect(host.proxy.traffic.current('svc_shop')).toMatchObject({ hostnames: ['shop.localhost'] });
  expect((await visit()).body).toBe('shop');
});

test('a runner that died before it wrote down what it had started leaves nothing behind that blocks', async () => {
  const caddy = await host.pidOf('caddy');
  await host.proxy.stop();
  await rm(`${host.dataDir}/edge/process.json`);
  await rm(`${host.dataDir}/caddy/process.json`);
  await host.restart();
  expect(await host.pidOf('caddy')).toBe(caddy);
  expect((await visit()).body).toBe('shop');
});

test('a start after a reboot serves as before, from the files alone', async () => {
  await host.proxy.stopAll();
  await expect(visit()).rejects.toThrow();
  await host.restart();
  expect((await visit()).body).toBe('shop');
  expect((await ask(host.config.webPorts.first, 'x')).status).toBe(404);
  const { first } = host.config.webPorts;
  expect((await ask(first, `127.0.0.1:${first}`)).body).toBe('shop');
});

test('the proxy of a revoked host ends once nothing is routed, and frees its ports', async () => {
  expect(await host.proxy.retire()).toBe(false);
  expect((await visit()).body).toBe('shop');
  await host.restart();
  await host.proxy.traffic.remove('svc_shop');
  const pids = [await host.pidOf('edge'), await host.pidOf('caddy')];
  expect(await host.proxy.retire()).toBe(true);
  await expect.poll(() => pids.map(dead)).toEqual([true, true]);
  await expect(visit()).rejects.toThrow();
});

test('a runner killed with its supervision leaves both serving', async () => {
  const { dataDir, config } = host;
  await host.proxy.stopAll();
  const program = `const { startProxy } = await import(${JSON.stringify(new URL('../../../runner/proxy/start-proxy.ts', import.meta.url))});
      await startProxy(${JSON.stringify({ dataDir, config })}); console.log('up'); setInterval(() => {}, 1000);`;
  const runner = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
  await new Promise((resolve) => runner.stdout.once('data', resolve));
  const gone = new Promise((resolve) => runner.once('exit', resolve));
  runner.kill('SIGKILL');
  await gone;
  expect((await visit()).body).toBe('shop');
  const pids = [await host.pidOf('edge'), await host.pidOf('caddy')];
  await host.restart();
  expect([await host.pidOf('edge'), await host.pidOf('caddy')]).toEqual(pids);
});

test('a running Caddy takes the config for other ports', async () => {
  const caddy = await host.pidOf('caddy');
  const old = host.config.httpPort;
  const { httpPort, httpsPort } = await testConfig();
  await host.restart({ httpPort, httpsPort });
  expect(await host.pidOf('caddy')).toBe(caddy);
  expect((await ask(httpPort, 'shop.localhost')).body).toBe('shop');
  await expect.poll(() => ask(old, 'shop.localhost').catch(() => 'closed')).toBe('closed');
});

async function listen(port: number) {
  const stranger = createServer((socket) => socket.end('stranger'));
  await new Promise<void>((resolve, reject) => {
    stranger.on('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return { close: () => new Promise((closed) => stranger.close(closed)) };
}

test('a stranger on a port of the block keeps no other app away, also at the start', async () => {
  const { first, last } = host.config.webPorts;
  await host.proxy.stopAll();
  const strangers = [await listen(first + 1), await listen(last)];
  onTestFinished(async () => void (await Promise.all(strangers.map((one) => one.close()))));
  await host.restart();
  expect(host.proxy.foreignPorts()).toEqual([first + 1, last]);
  expect((await visit()).body).toBe('shop');
  expect((await ask(first, `127.0.0.1:${first}`)).body).toBe('shop');
  expect(host.reports.join()).toContain(`these ports of the block for services: ${first + 1}, ${last}`);
});

test('a service whose port a stranger has works by its name, and has its port back when the stranger has gone', async () => {
  const { first } = host.config.webPorts;
  await host.proxy.stopAll();
  const stranger = await listen(first);
  await host.restart();
  expect((await visit()).body).toBe('shop');
  await stranger.close();
  await host.restart();
  expect(host.proxy.foreignPorts()).toEqual([]);
  expect((await ask(first, `127.0.0.1:${first}`)).body).toBe('shop');
});

test('a port that a stranger holds is named in one sentence and nothing is left running', async () => {
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const port = (stranger.address() as { port: number }).port;
  await host.proxy.stopAll();
  const attempt = startProxy({ dataDir: host.dataDir, config: { ...host.config, httpsPort: port } });
  await expect(attempt).rejects.toMatchObject({
    code: 'port_taken',
    message: expect.stringContaining(`Port ${port} is used by another program`),
  });
  const edge = await host.pidOf('edge');
  await expect.poll(() => dead(edge)).toBe(true);
  stranger.close();
});
