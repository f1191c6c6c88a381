import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { observe } from '../../../../runner/host/observe.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { createHostTasks, runHostTask } from '../../../../runner/host/tasks/host-tasks.ts';
import { stable, temporary, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { startProber } from '../../../support/docker/prober.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
let web: DeploySpec;
let site: DeploySpec;

beforeAll(async () => {
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

/** Services whose logs were removed. */
const withoutLogs: string[] = [];
const run = (task: Parameters<typeof runHostTask>[1]) =>
  runHostTask(
    createHostTasks({
      ...fixture.parts,
      checkDomainsSoon: () => undefined,
      removeLogs: (serviceId) => withoutLogs.push(serviceId),
    }),
    task,
  );
const removal = ({ serviceId, projectId, hostnames, hostPort }: DeploySpec) =>
  ({ kind: 'remove-service', serviceId, projectId, hostnames, hostPort }) as const;

test('removing a service takes its route, containers, images and releases, and can be done again', async () => {
  const volume = await fixture.host.docker.engine.createVolume({
    Labels: { 'longshore.instance': fixture.host.docker.instance, 'longshore.service': web.serviceId },
  });
  for (const keepsLogs of [true, false]) {
    // A service that has moved drains.
    const moved = 'The service has no names on this host any more, and ends with its last connection.';
    const detail = keepsLogs ? moved : `${web.hostnames[0]} answered 404`;
    expect(await run({ ...removal(web), keepsLogs })).toEqual({ ok: true, detail });
    await fixture.retireNow();
    expect(await run({ ...removal(site), hostnames: [] })).toEqual({
      ok: true,
      detail: 'The service has no container on this host any more.',
    });
  }
  expect(withoutLogs).toEqual([site.serviceId, web.serviceId, site.serviceId]);
  expect(fixture.traffic.all()).toEqual([]);
  expect(existsSync(join(fixture.host.dataDirectory, 'sites/releases', site.deploymentId))).toBe(false);
  expect(await fixture.host.leftovers()).toEqual([`longshore-${web.projectId}`]);
  expect(await observe(fixture.parts)).toEqual([]);
  const kept = await fixture.host.docker.engine.getVolume(volume.name).inspect();
  expect(kept.Name).toBe(volume.name);
  await fixture.host.docker.engine.getVolume(volume.name).remove();
});

test('a removed project leaves transferred services alone, and its network is removed at the next start', async () => {
  const moved = fixture.spec({ source: fixture.gitSource('shop') });
  const { docker } = fixture.host;
  expect((await fixture.deploy(moved)).result.outcome).toBe('succeeded');
  const serviceIds = [web.serviceId];
  const gone = { kind: 'remove-project' as const, projectId: moved.projectId, serviceIds };
  expect(await run(gone)).toMatchObject({ ok: true, detail: expect.stringContaining('transferred') });
  expect(await fixture.answer(moved)).toBe('one ');

  const later = fixture.spec({ projectId: testId('project') }, moved);
  const { result, context } = await fixture.deploy(later);
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text()).not.toContain('Could not');
  expect(await fixture.aliasesOf(stable(later))).toEqual([later.serviceSlug]);
  const { NetworkSettings } = await inspect(docker, temporary(moved));
  const oldNetwork = Object.values(NetworkSettings.Networks)[0]?.NetworkID ?? '';
  const peer = await startProber(docker, oldNetwork);
  expect(await peer.tries(moved.serviceSlug, moved.internalPort), 'old peers').toBe('ECONNREFUSED');
  await docker.engine.getContainer(peer.id).remove({ force: true });
  const networksOf = async (name: string) =>
    Object.keys((await inspect(docker, name)).NetworkSettings.Networks);
  expect(await networksOf(stable(later))).toEqual([`longshore-${later.projectId}`]);
  expect(await networksOf(temporary(moved))).toEqual([`longshore-${moved.projectId}`]);
  await fixture.retireNow();
  expect(await fixture.answer(later)).toBe('one ');

  const none = () => ({ deployments: new Set<string>(), containers: new Set<string>() });
  await reconcile({ ...fixture.parts, say: () => {} }, none);
  const networks = (await fixture.host.leftovers()).filter((name) =>
    /^longshore-prj_[a-z0-9]{16}$/.test(name),
  );
  expect(networks).toEqual([`longshore-${later.projectId}`]);
  await run(removal(later));
  await run({ kind: 'remove-project', projectId: later.projectId, serviceIds: [] });
});

test('volumes are removed only by their own task, for this service and this instance', async () => {
  const { docker } = fixture.host;
  const make = (instance: string, serviceId: string) =>
    docker.engine.createVolume({
      Labels: { 'longshore.instance': instance, 'longshore.service': serviceId },
    });
  const mine = [await make(docker.instance, web.serviceId), await make(docker.instance, web.serviceId)];
  const others = [await make(docker.instance, site.serviceId), await make(testId('runner'), web.serviceId)];
  const task = { kind: 'remove-volumes', serviceId: web.serviceId, projectId: web.projectId } as const;
  const user = await docker.engine.createContainer({
    Image: 'node:24-slim',
    Labels: { 'longshore.instance': docker.instance },
    HostConfig: { Binds: [`${mine[1]?.name}:/data`] },
  });
  await expect(run(task), 'in use: tried again later').rejects.toThrow('remove the volume');
  await user.remove({ force: true });
  for (const _ of [1, 2]) expect(await run(task)).toMatchObject({ ok: true });
  const left = (await docker.engine.listVolumes()).Volumes.map(({ Name }) => Name);
  for (const { name } of mine) expect(left).not.toContain(name);
  for (const { name } of others) {
    expect(left).toContain(name);
    await docker.engine.getVolume(name).remove();
  }
});

test('removing a project takes its network, and can be done again', async () => {
  for (const _ of [1, 2]) {
    expect(await run({ kind: 'remove-project', projectId: web.projectId })).toMatchObject({ ok: true });
  }
  expect(await fixture.host.leftovers()).toEqual([]);
});
