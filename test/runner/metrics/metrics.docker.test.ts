/** What is measured of real containers, and of real requests through the real proxy. */
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { accessLogOf } from '../../../protocol/logs/kept-logs.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { portAnswers } from '../../../runner/base/port-answers.ts';
import { ExitHistory, watchContainers } from '../../../runner/docker/events.ts';
import { AccessLogs } from '../../../runner/kept-logs/access-logs.ts';
import { KeptLogs } from '../../../runner/kept-logs/kept-logs.ts';
import { LogSearches } from '../../../runner/kept-logs/search/log-searches.ts';
import { ContainerUsage } from '../../../runner/metrics/container-usage.ts';
import { RequestLog } from '../../../runner/metrics/request-log.ts';
import { proxyPaths } from '../../../runner/proxy/proxy-paths.ts';
import { ask } from '../../support/docker/ask.ts';
import { createLiveContainer } from '../../support/docker/live-container.ts';
import { routeTo, startApp } from '../../support/docker/test-proxy.ts';
import { useTestHost, useTestProxy } from '../../support/docker/use-scenes.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const host = useTestHost();
const proxy = useTestProxy();

/** Uses a processor for 300 ms of each second, holds 64 MB, and listens where a database would. */
const busy = `globalThis.held = Buffer.alloc(64 * 2 ** 20, 1);
  require('node:net').createServer(() => {}).listen(5432);
  setInterval(() => { const end = Date.now() + 300; while (Date.now() < end); }, 1000);`;

test('CPU, memory, traffic and connections of a container are what it uses', { tags: 'slow' }, async () => {
  const { docker } = host;
  const { container, serviceId } = await createLiveContainer(docker, busy);
  await container.start();
  const usage = new ContainerUsage({ docker, exits: new ExitHistory() }, Date.now());
  const measure = async () => (await usage.measure(Date.now())).find((one) => one.serviceId === serviceId);
  const { IPAddress = '' } = Object.values((await container.inspect()).NetworkSettings.Networks)[0] ?? {};
  await expect.poll(() => portAnswers(IPAddress, 5432, 1_000), { timeout: 20_000 }).toBe(true);
  const sockets = Array.from({ length: 3 }, () => connect(5432, IPAddress).on('error', () => undefined));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await expect.poll(async () => (await measure())?.connections, { timeout: 20_000 }).toBe(3);
  const before = await measure();
  const from = performance.now();
  sockets[0]?.write(Buffer.alloc(200_000));
  await pause(3_000);
  // Others may use the processors meanwhile.
  await expect
    .poll(async () => ((await measure())?.usage.cpuSeconds ?? 0) - (before?.usage.cpuSeconds ?? 0))
    .toBeGreaterThan(0.3);
  const after = await measure();
  const cores =
    ((after?.usage.cpuSeconds ?? 0) - (before?.usage.cpuSeconds ?? 0)) / ((performance.now() - from) / 1_000);
  expect(cores).toBeLessThan(0.8);
  expect(after?.usage.memory).toBeGreaterThan(64 * 2 ** 20);
  expect(after?.usage.memory).toBeLessThan(200 * 2 ** 20);
  expect((after?.usage.received ?? 0) - (before?.usage.received ?? 0)).toBeGreaterThan(100_000);
});

test('a crash loop counts as restarts, each end once', { tags: 'slow' }, async () => {
  const { docker } = host;
  const exits = new ExitHistory();
  const stopping = new AbortController();
  const usage = new ContainerUsage({ docker, exits }, Date.now());
  const watching = watchContainers(docker, exits, () => usage.changed(), stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await watching;
  });
  const { container, serviceId } = await createLiveContainer(docker, 'process.exit(3)', {
    restart: 'always',
  });
  await container.start();
  let counted = 0;
  const count = async () => {
    const own = (await usage.measure(Date.now())).find((one) => one.serviceId === serviceId);
    counted += own?.exits.length ?? 0;
    return counted;
  };
  await expect.poll(count, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  await container.stop();
  // From here on no end is told any more, however late Docker is.
  stopping.abort();
  await watching;
  const total = await count();
  expect(total).toBe(exits.of((await container.inspect()).Id).length);
  expect(await count()).toBe(total);
});

test('each request through the proxy is counted for its service with its duration, and its query is written nowhere', async () => {
  const app = await startApp('127.9.0.7', (request, response) => {
    response.statusCode = request.url?.startsWith('/broken') ? 500 : 200;
    setTimeout(() => response.end('done'), request.url?.startsWith('/slow') ? 400 : 0);
  });
  onTestFinished(() => app.close());
  const route = routeTo(app, { hostPort: proxy.config.webPorts.first });
  await proxy.proxy.traffic.switchTo(route);
  const { requestLog, caddyLog } = proxyPaths(proxy.dataDir);
  const log = new RequestLog(requestLog);
  onTestFinished(() => log.close());
  const [name = ''] = route.hostnames;
  const { httpPort, webPorts } = proxy.config;
  for (let n = 0; n < 20; n++) await ask(httpPort, name, { path: '/?token=secret-word' });
  await ask(httpPort, name, { path: '/slow' });
  await ask(webPorts.first, `127.0.0.1:${webPorts.first}`, { path: '/broken' });
  await ask(httpPort, 'nobody.localhost');
  // The port of the service, said by a stranger at the port of the web.
  await ask(httpPort, `127.0.0.1:${webPorts.first}`);
  const counted = { total: 0, errors: 0, p99: 0 };
  const count = () => {
    const own = log.count(proxy.proxy.traffic.all()).get(route.serviceId);
    counted.total += own?.durations.total ?? 0;
    counted.errors += own?.errors ?? 0;
    counted.p99 = Math.max(counted.p99, own?.durations.percentile(0.99) ?? 0);
    return counted.total;
  };
  await expect.poll(count, { timeout: 10_000 }).toBe(22);
  expect(counted.errors).toBe(1);
  expect(counted.p99).toBeGreaterThan(380);
  const texts = await Promise.all(
    [requestLog, caddyLog].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  expect(texts.join('')).not.toContain('secret-word');
  expect(texts[1]).not.toContain('handled request');
});

test('the log of requests of a service agrees with its metrics, and has neither query, header nor address', async () => {
  const app = await startApp('127.9.0.8', (request, response) => {
    response.statusCode = request.url?.startsWith('/broken') ? 500 : 200;
    setTimeout(() => response.end('done'), Number(/^\/wait\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0));
  });
  onTestFinished(() => app.close());
  const route = routeTo(app, {
    ...{ serviceId: 'svc_logged', hostnames: ['logged.localhost'], accessLog: { sample: 1 } },
  });
  await proxy.proxy.traffic.switchTo(route);
  const kept = new KeptLogs({
    directory: temporaryDirectory(),
    limits: { serviceBytes: 1e9, totalBytes: 1e9, ageMs: 1e9 },
    ...{ clock: systemClock, logger: silentLogger },
  });
  const accessLogs = new AccessLogs(kept, systemClock);
  const log = new RequestLog(proxyPaths(proxy.dataDir).requestLog);
  onTestFinished(() => log.close());
  const { httpPort } = proxy.config;
  const header = { 'x-secret': 'header-word' };
  for (let n = 0; n < 40; n++)
    await ask(httpPort, 'logged.localhost', { path: `/wait/${n * 3}?token=query-word`, headers: header });
  await ask(httpPort, 'logged.localhost', { path: '/broken' });
  const { requestLog } = proxyPaths(proxy.dataDir);
  await expect.poll(() => readFile(requestLog, 'utf8'), { timeout: 10_000 }).toContain('"/broken"');
  const counted = log.count(proxy.proxy.traffic.all(), (of, request) => accessLogs.take(of, request));
  accessLogs.flush();
  const { durations } = counted.get(route.serviceId) ?? {};
  expect(durations?.total).toBe(41);
  const answer = await new LogSearches(kept).answer({
    services: [{ serviceId: accessLogOf(route.serviceId), from: null }],
    ...{ order: 'oldest', limit: 1_000 },
  });
  if ('refused' in answer) throw new Error(answer.reason);
  const lines = answer.lines.map(({ line }) => JSON.parse(line));
  expect(lines).toHaveLength(41);
  expect(lines[1]).toEqual({
    ...{ level: 'info', method: 'GET', path: '/wait/3', status: 200, durationMs: expect.any(Number) },
    ...{ bytes: 4, client: '127.0.0.0', host: 'logged.localhost' },
  });
  expect(lines.at(-1)).toMatchObject({ level: 'error', status: 500, path: '/broken' });
  expect(JSON.stringify(answer)).not.toMatch(/query-word|header-word|127\.0\.0\.1/);
  const sorted = lines.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  for (const [part, at] of [
    [0.5, 20],
    [0.99, 40],
  ] as const) {
    const [metric, logged] = [durations?.percentile(part) ?? 0, sorted[at] ?? 0];
    console.log(`p${part * 100}: ${metric.toFixed(1)} ms in the metrics, ${logged.toFixed(1)} ms in the log`);
    expect(Math.abs(metric - logged)).toBeLessThan(0.05 * logged + 3);
  }
});
