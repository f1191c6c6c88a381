/** A service that sleeps, with the real proxy and a real container: no request is lost when it stops, starts, or both. */
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { observe } from '../../../../runner/host/observe.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { watchSleep } from '../../../../runner/host/sleep/sleep-watch.ts';
import { connectionsOf, createSleeper, type Sleeper } from '../../../../runner/host/sleep/sleeper.ts';
import { KeptLogs } from '../../../../runner/kept-logs/kept-logs.ts';
import { LogSearches } from '../../../../runner/kept-logs/search/log-searches.ts';
import { proxyPaths } from '../../../../runner/proxy/proxy-paths.ts';
import { ask } from '../../../support/docker/ask.ts';
import { namedApp, stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';
import { manualClock } from '../../../support/runner/manual-clock.ts';
import { silentLogger } from '../../../support/runner/silent-logger.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();
const clock = manualClock();
const signal = new AbortController().signal;
let spec: DeploySpec;
let sleeper: Sleeper;
let watch: ReturnType<typeof watchSleep> | undefined;
let startWatch: () => ReturnType<typeof watchSleep>;
let requests = 0;
let looks = 0;
let told = 0;
let kept: KeptLogs;
/** Holds every wake back until it is resolved. */
let gate: Promise<void> | undefined;

/** Ends at its start, except the first one, without this file. */
const breakable = `
  const { existsSync, writeFileSync } = require('node:fs');
  if (!existsSync('/tmp/begun')) for (const name of ['begun', 'works']) writeFileSync('/tmp/' + name, '');
  if (!existsSync('/tmp/works')) process.exit(3);
`;

beforeAll(async () => {
  const { traffic } = proxy.proxy;
  const { docker } = fixture.host;
  const { wakes } = proxyPaths(proxy.dataDir);
  kept = new KeptLogs({
    directory: join(proxy.dataDir, 'kept-logs'),
    limits: { serviceBytes: 1e9, totalBytes: 1e9, ageMs: 1e12 },
    ...{ clock: systemClock, logger: silentLogger },
  });
  fixture.parts.traffic = traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
  fixture.commit('sleepy', { ...namedApp, 'server.js': `${breakable}${namedApp['server.js']}` });
  const hostPort = proxy.config.webPorts.first;
  spec = fixture.spec({ source: fixture.gitSource('sleepy'), hostPort, sleepAfterMinutes: 5 });
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  sleeper = createSleeper({ docker, traffic, wakes });
  const gated: Sleeper = {
    ...sleeper,
    async wake(serviceId, aborted) {
      await gate;
      return await sleeper.wake(serviceId, aborted);
    },
  };
  startWatch = () =>
    watchSleep({
      ...{ traffic, wakes, clock, sleeper: gated, logger: { info: () => undefined, warn: console.warn } },
      requests: () => requests,
      note: (of, line) => kept.note(of, line),
      changed: () => {
        told += 1;
      },
      async connections(route) {
        const count = await connectionsOf(docker, route);
        looks += 1;
        return count;
      },
    });
  watch = startWatch();
}, 120_000);

afterAll(() => watch?.stop());

/** A POST has a body: one that can't be sent is lost with a connection that fails. */
const visit = (headers: Record<string, string> = {}, method = 'GET') =>
  ask(proxy.config.httpPort, spec.hostnames[0] ?? '', {
    headers,
    method,
    body: method === 'POST' ? 'x'.repeat(100_000) : '',
  });
const isRunning = async () => (await inspect(fixture.host.docker, stable(spec))).State.Running;
const target = () => {
  const found = proxy.proxy.traffic.current(spec.serviceId)?.target;
  if (found?.type !== 'container') throw new Error('no container is routed');
  return found;
};
const isAsleep = () => target().asleep === true;
const awake = () => until('it to be awake', () => !isAsleep());
/** A minute passes, and the watch has looked. */
async function minute(): Promise<void> {
  const before = looks;
  await clock.advance(60_000);
  if (!isAsleep() && requests === 0) await until('a look', () => looks > before || isAsleep());
}

test('a service sleeps once it has had no request and no connection for its minutes; the next request wakes it', async () => {
  const open = connect(target().port, target().address);
  await until('the connection', () => open.readyState === 'open');
  for (let count = 0; count < 8; count += 1) await minute();
  expect(isAsleep()).toBe(false);
  open.destroy();
  await until('it to sleep', async () => {
    await minute();
    return isAsleep() && !(await isRunning());
  });
  const parts = { docker: fixture.host.docker, traffic: proxy.proxy.traffic, dataDirectory: proxy.dataDir };
  const asleepSince = expect.closeTo(Date.now(), -6);
  const never = { lastWokeAt: null, lastWakeMs: null };
  expect(await observe(parts)).toMatchObject([
    { state: 'running', reachable: true, sleep: { asleepSince, ...never } },
  ]);
  const nothing = { deployments: new Set<string>(), containers: new Set<string>() };
  await reconcile({ ...parts, say: () => undefined }, () => nothing);
  expect(await isRunning()).toBe(false);
  expect((await visit()).status).toBe(200);
  await awake();
  await until('no wake to be left', () => readdirSync(proxyPaths(proxy.dataDir).wakes).length === 0);
  const [woken] = await observe(parts);
  expect(woken?.sleep).toMatchObject({ asleepSince: null, lastWokeAt: asleepSince });
  expect(woken?.sleep?.lastWakeMs).toBeGreaterThan(10);
  await until('both changes to be told', () => told >= 2);
  const services = [{ serviceId: spec.serviceId, from: null }];
  const lines = await new LogSearches(kept).answer({ services, order: 'oldest', limit: 10 });
  expect(lines).toMatchObject({
    lines: [
      { stream: 'system', line: 'Asleep: nobody has asked for 5 minutes. The next request wakes it.' },
      {
        ...{ stream: 'system', deploymentId: spec.deploymentId },
        line: `Woken by a request, which waited for ${woken?.sleep?.lastWakeMs} ms.`,
      },
    ],
  });
  requests = 1;
  for (let count = 0; count < 8; count += 1) await minute();
  expect(isAsleep()).toBe(false);
  requests = 0;
}, 60_000);

test.each([0, 150, 400, 1_000])(
  'requests that come %i ms after it began to fall asleep are answered',
  async (afterMs) => {
    await awake();
    const sleeping = sleeper.sleep(spec.serviceId, signal);
    await pause(afterMs);
    const answers = await Promise.all([visit(), visit({}, 'POST'), visit({ accept: 'text/html' }, 'POST')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await sleeping;
    expect((await visit()).status).toBe(200);
  },
  60_000,
);

test('while it wakes, a browser gets a page that asks again, and other requests are held and answered', async () => {
  await awake();
  expect(await sleeper.sleep(spec.serviceId, signal)).toBe(true);
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const held = visit({}, 'POST');
  const page = await visit({ accept: 'text/html,*/*' });
  expect([page.status, page.headers.refresh, page.headers['x-longshore-answer']]).toEqual([
    503,
    '2',
    'waking',
  ]);
  expect(page.body).toContain('This site is waking up');
  expect(page.body).not.toMatch(/127\.|10\.|longshore/i);
  gate = undefined;
  resolve();
  expect((await held).status).toBe(200);
  expect((await visit({ accept: 'text/html,*/*' })).status).toBe(200);
}, 60_000);

test('while no runner is at work, visitors of a service that sleeps are told so instead of being held', async () => {
  await awake();
  expect(await sleeper.sleep(spec.serviceId, signal)).toBe(true);
  await watch?.stop();
  const asked = join(proxyPaths(proxy.dataDir).wakes, spec.serviceId);
  const held = visit();
  await until('edge to ask', () => existsSync(asked));
  const before = new Date(Date.now() - 60_000);
  utimesSync(asked, before, before);
  expect(await held).toMatchObject({
    status: 503,
    headers: { 'x-longshore-answer': 'asleep', 'retry-after': '60' },
  });
  const page = await visit({ accept: 'text/html' });
  expect([page.status, page.body]).toEqual([503, expect.stringContaining("can't be woken")]);
  watch = startWatch();
  await awake();
  await until('an answer of the app', async () => (await visit()).status === 200);
}, 60_000);

test('a service that ends when a request wakes it answers so soon; a later request tries again', async () => {
  await awake();
  const { docker } = fixture.host;
  const container = docker.engine.getContainer(stable(spec));
  const works = await buffer(await container.getArchive({ path: '/tmp/works' }));
  const removal = await container.exec({ Cmd: ['rm', '/tmp/works'], AttachStdout: true });
  await buffer(await removal.start({}));
  expect(await sleeper.sleep(spec.serviceId, signal)).toBe(true);
  const asked = [visit(), visit({}, 'POST'), visit({}, 'POST')];
  for (const { status, headers, ms } of await Promise.all(asked)) {
    expect([status, headers['x-longshore-answer'], headers['retry-after']]).toEqual([
      503,
      'start-failed',
      '5',
    ]);
    expect(ms).toBeLessThan(60_000); // it was the two minutes of every hold
  }
  await until('its container to be stopped', async () => !(await isRunning()));
  const [observed] = await observe({ docker, traffic: proxy.proxy.traffic });
  expect(observed).toMatchObject({ state: 'crashed', reachable: false });
  const services = [{ serviceId: spec.serviceId, from: null }];
  const line = expect.stringMatching(
    /did not start\. Its container ended with exit code 3, \d+ times in a row\./,
  );
  // The requests are answered before the line is written.
  await expect
    .poll(() => new LogSearches(kept).answer({ services, order: 'newest', limit: 1 }))
    .toMatchObject({ lines: [{ stream: 'system', line }] });
  await container.putArchive(works, { path: '/tmp' });
  await until('an answer of the app', async () => (await visit()).status === 200, 60_000);
  expect(target().retryAt).toBeUndefined();
}, 120_000);
