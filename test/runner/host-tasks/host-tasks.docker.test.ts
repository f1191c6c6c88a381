import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { observe } from '../../../runner/docker/observe.ts';
import { createHostTasks, runHostTask } from '../../../runner/host-tasks/host-tasks.ts';
import { type DeployFixture, deployFixture, webApp } from '../support/deploy-fixture.ts';

let fixture: DeployFixture;
let web: DeploySpec;
let site: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  fixture.commit('shop', webApp('one'));
  fixture.commit('site', { 'index.html': 'x' });
  web = fixture.spec({ source: fixture.gitSource('shop') });
  const other = fixture.spec({ source: fixture.gitSource('site'), runtimeMode: 'static' });
  site = fixture.spec({ ...other, serviceId: `${other.serviceId.slice(0, -4)}site` });
  for (const spec of [web, site]) {
    const { result, context } = await fixture.deploy(spec);
    expect(result.outcome, context.text()).toBe('succeeded');
  }
});

afterAll(() => fixture?.remove());

const run = (task: Parameters<typeof runHostTask>[1]) => runHostTask(createHostTasks(fixture.parts), task);
const removal = ({ serviceId, projectId, hostnames, hostPort }: DeploySpec) =>
  ({ kind: 'remove-service', serviceId, projectId, hostnames, hostPort }) as const;

test('removing a service takes its route, containers, images and releases, and can be done again', async () => {
  const volume = await fixture.host.docker.engine.createVolume({
    Labels: { 'longshore.instance': fixture.host.docker.instance, 'longshore.service': web.serviceId },
  });
  for (const _ of [1, 2]) {
    expect(await run(removal(web))).toEqual({ ok: true, detail: `${web.hostnames[0]} answered 404` });
    expect(await run(removal(site))).toMatchObject({ ok: true });
  }
  expect(fixture.traffic.all()).toEqual([]);
  expect(existsSync(join(fixture.host.dataDirectory, 'sites/releases', site.deploymentId))).toBe(false);
  expect(await fixture.host.leftovers()).toEqual([`longshore-${web.projectId}`]);
  expect(await observe(fixture.parts)).toEqual([]);
  const kept = await fixture.host.docker.engine.getVolume(volume.name).inspect();
  expect(kept.Name).toBe(volume.name);
  await fixture.host.docker.engine.getVolume(volume.name).remove();
});

test('removing a project takes its network, and can be done again', async () => {
  for (const _ of [1, 2]) {
    expect(await run({ kind: 'remove-project', projectId: web.projectId })).toMatchObject({ ok: true });
  }
  expect(await fixture.host.leftovers()).toEqual([]);
});
