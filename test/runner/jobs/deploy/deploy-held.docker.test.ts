/** A service whose versions must not overlap, through the real proxy: requests wait while it is stopped, whatever their method and body. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { whileQuiet } from '../../../../runner/jobs/data/files/quiesce.ts';
import { createDeployJob } from '../../../../runner/jobs/deploy/deploy.ts';
import { ask } from '../../../support/docker/ask.ts';
import { namedApp } from '../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { keepAsking } from '../../../support/docker/keep-asking.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();
let live: DeploySpec;

beforeAll(async () => {
  fixture.parts.traffic = proxy.proxy.traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
  fixture.commit('held', namedApp);
  const volume = { id: testId('volume'), name: 'data', mountPath: '/data', sizeMb: null };
  live = fixture.spec({
    ...{ source: fixture.gitSource('held'), volumes: [volume] },
    hostPort: proxy.config.webPorts.first,
  });
  const { result, context } = await fixture.deploy(live);
  expect(result.outcome, context.text()).toBe('succeeded');
}, 120_000);

/** The same image again. */
const next = (more: Partial<DeploySpec> = {}) =>
  fixture.spec({ source: { type: 'kept', deploymentId: live.deploymentId, commitSha: null }, ...more }, live);
const load = () => keepAsking(proxy.config.httpPort, live.hostnames[0] ?? '');

test('no request with or without a body is lost while new versions replace a stopped one', async () => {
  const requests = load();
  for (let index = 0; index < 2; index += 1) {
    const version = next();
    const { result, context } = await fixture.deploy(version);
    expect(result.outcome, context.text()).toBe('succeeded');
    await fixture.retireNow();
    live = version;
  }
  const { failures, bodies, held } = await requests.stop();
  expect(failures).toEqual([]);
  expect([bodies.length, held > 0]).toEqual([3, true]);
}, 120_000);

test('requests that came during a failed deployment are answered by the old version', async () => {
  const { limits } = fixture.parts;
  fixture.parts.limits = { ...limits, healthTimeoutMs: 1_000 };
  onTestFinished(() => {
    fixture.parts.limits = limits;
  });
  const requests = load();
  const silent = next({ container: { command: ['sleep', '60'] } });
  expect((await fixture.deploy(silent)).result).toMatchObject({ code: 'health_failed' });
  const { failures, bodies } = await requests.stop();
  expect(failures).toEqual([]);
  expect(bodies).toHaveLength(1);
}, 120_000);

test('requests that came before the runner died are answered by the version that its recovery starts', async () => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const context = testContext({
    grant() {
      resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const requests = load();
  const killed = next();
  void fixture.deploy(killed, { context });
  await reached;
  const recovered = createDeployJob(fixture.parts).recover(killed, context.checkpoints, testContext());
  await expect(recovered).rejects.toMatchObject({ code: 'runner_restarted' });
  const answered = requests.answers();
  await until('more answers', () => requests.answers() > answered + 20);
  const { failures, bodies } = await requests.stop();
  expect(failures).toEqual([]);
  expect(bodies).toHaveLength(1);
}, 120_000);

test('requests wait while a service is stopped for a copy of its volume; a browser gets a page that asks again', async () => {
  const requests = load();
  const { httpPort } = proxy.config;
  const service = { parts: fixture.parts, serviceId: live.serviceId, context: testContext() };
  const page = await whileQuiet(service, { type: 'stop' }, () =>
    ask(httpPort, live.hostnames[0] ?? '', { headers: { accept: 'text/html' } }),
  );
  const answered = requests.answers();
  await until('more answers', () => requests.answers() > answered + 20);
  expect((await requests.stop()).failures).toEqual([]);
  expect([page.status, page.headers.refresh, page.headers['x-longshore-answer']]).toEqual([
    503,
    '2',
    'restarting',
  ]);
  expect(page.body).toContain('This site is restarting');
  expect(page.body).not.toMatch(/127\.|10\.|longshore/i);
}, 120_000);
