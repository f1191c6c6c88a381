import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { restoreContainerName, stableContainerName } from '../../../protocol/names.ts';
import { observe } from '../../../runner/host/observe.ts';
import { type Claims, reconcile } from '../../../runner/host/reconcile.ts';
import { stable, temporary, webApp } from '../../support/docker/deploy-fixture.ts';
import { inspect, type TestHost, testHost, testId } from '../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
let stranger: TestHost;
let live: DeploySpec;
let said: string[];

beforeAll(async () => {
  stranger = await testHost();
  fixture.commit('shop', webApp('one'));
  live = fixture.spec({ source: fixture.gitSource('shop') });
  const { result, context } = await fixture.deploy(live);
  expect(result.outcome, context.text()).toBe('succeeded');
});

afterAll(async () => {
  await stranger?.remove();
});

beforeEach(() => {
  said = [];
});

const run = (claims: Partial<Claims> = {}) =>
  reconcile({ ...fixture.parts, say: (line) => said.push(line) }, () => ({
    deployments: new Set(),
    containers: new Set(),
    ...claims,
  }));

/** A container of a deployment that no route knows. */
async function orphan(host: TestHost, deploymentId = testId('deployment')) {
  const container = await host.docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['sleep', '300'],
    StopSignal: 'SIGKILL',
    Labels: {
      'longshore.instance': host.docker.instance,
      'longshore.service': live.serviceId,
      'longshore.deployment': deploymentId,
      'longshore.role': 'app',
    },
  });
  await container.start();
  return container;
}

const exists = (id: string) =>
  inspect(fixture.host.docker, id).then(
    () => true,
    () => false,
  );

test('reconciling removes containers that no route, job or chore knows, and nobody else’s', async () => {
  const unfinished = testId('deployment');
  const forgotten = await orphan(fixture.host);
  const ofJob = await orphan(fixture.host, unfinished);
  const ofChore = await orphan(fixture.host);
  const ofStranger = await orphan(stranger);
  await run({ deployments: new Set([unfinished]), containers: new Set([ofChore.id]) });
  expect(await exists(forgotten.id)).toBe(false);
  expect(await exists(ofJob.id)).toBe(true);
  expect(await exists(ofChore.id)).toBe(true);
  expect(await exists(ofStranger.id)).toBe(true);
  expect(await fixture.answer(live)).toBe('one ');
  await run();
});

test('reconciling starts a stopped routed container and restores its name', async () => {
  const { Id } = await inspect(fixture.host.docker, stable(live));
  const container = fixture.host.docker.engine.getContainer(Id);
  await container.rename({ name: temporary(live) });
  await container.stop({ t: 1 });
  expect(await observe(fixture.parts)).toEqual([]);
  await run();
  await expect.poll(() => fixture.answer(live).catch(() => ''), { timeout: 10_000 }).toBe('one ');
  expect(await observe(fixture.parts)).toEqual([
    { serviceId: live.serviceId, deploymentId: live.deploymentId, state: 'running', reachable: true },
  ]);
});

test('reconciling points the route to the container’s current address', async () => {
  const route = fixture.traffic.current(live.serviceId);
  if (route?.target.type !== 'container') throw new Error('no route');
  await fixture.traffic.switchTo({ ...route, target: { ...route.target, address: '10.211.255.1' } });
  await run();
  expect(await fixture.answer(live)).toBe('one ');
});

test('reconciling observes a crash', async () => {
  await fixture.host.docker.engine.getContainer(stable(live)).stop({ t: 0 });
  expect(await observe(fixture.parts)).toMatchObject([{ reachable: false }]);
  await run();
});

test('reconciling removes work directories and releases without an owner', async () => {
  const unfinished = testId('deployment');
  const at = (...path: string[]) => join(fixture.host.dataDirectory, ...path);
  for (const path of [at('work', 'dep_old'), at('work', unfinished), at('sites/releases', 'dep_old')]) {
    mkdirSync(path, { recursive: true });
  }
  await run({ deployments: new Set([unfinished]) });
  expect(existsSync(at('work', 'dep_old'))).toBe(false);
  expect(existsSync(at('sites/releases', 'dep_old'))).toBe(false);
  expect(existsSync(at('work', unfinished))).toBe(true);
});

test('reconciling reports which routed container is gone', async () => {
  await fixture.host.docker.engine.getContainer(stable(live)).remove({ force: true });
  await run();
  expect(said).toContain(`the container of ${live.serviceId} is gone; deploy the service again`);
});

test('reconciling brings back the newest of several containers that exchanges have put aside', async () => {
  const serviceId = testId('service');
  const made: string[] = [];
  for (const suffix of ['x', 'y']) {
    const { id } = await fixture.host.docker.engine.createContainer({
      name: restoreContainerName(serviceId, 'before', suffix),
      ...{ Image: 'node:24-slim', Cmd: ['sleep', '300'], StopSignal: 'SIGKILL' },
      Labels: {
        'longshore.instance': fixture.host.docker.instance,
        'longshore.service': serviceId,
        'longshore.deployment': live.deploymentId,
        'longshore.role': 'app',
        'longshore.port': '5432',
      },
    });
    made.push(id);
  }
  await run({ restored: new Set() });
  expect((await inspect(fixture.host.docker, stableContainerName(serviceId))).Id).toBe(made[1]);
  await fixture.host.docker.engine.getContainer(made[1] ?? '').remove({ force: true });
});
