/** A service with a volume: its data stays, two versions never run at once, and a failed or killed attempt leaves the old version running. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { serviceVolumeName } from '../../../../protocol/names.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { readFreeBytes } from '../../../../runner/docker/disk-space.ts';
import { startDiskWatch } from '../../../../runner/host/disk-watch.ts';
import { observe } from '../../../../runner/host/observe.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { createDeployJob } from '../../../../runner/jobs/deploy/deploy.ts';
import { retire } from '../../../../runner/jobs/parts/retire.ts';
import { stable, temporary } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { type TestContext, testContext } from '../../../support/runner/job-context.ts';
import { silentLogger } from '../../../support/runner/silent-logger.ts';

const fixture = useDeployFixture();
const volume = { id: testId('volume'), name: 'data', mountPath: '/var/lib/app/data', sizeMb: null };

/** Writes a line when it starts and when it stops, and answers with all lines. A second writer would interleave its own. */
const journalOf = (name: string) => [
  'node',
  '-e',
  `const fs = require('fs'), file = '${volume.mountPath}/journal';
   fs.appendFileSync(file, 'start ${name}\\n');
   process.on('SIGTERM', () => { fs.appendFileSync(file, 'stop ${name}\\n'); process.exit(0); });
   require('http').createServer((_, reply) => reply.end(fs.readFileSync(file))).listen(3000);`,
];
let live: DeploySpec;
let journal = '';

const version = (name: string, more: Partial<DeploySpec> = {}) =>
  fixture.spec({ container: { command: journalOf(name), user: 'node' }, ...more }, live);

beforeAll(async () => {
  live = fixture.spec({ internalPort: 3000, volumes: [volume] });
  live = version('one');
  const { result, context } = await fixture.deploy(live);
  expect(result.outcome, context.text()).toBe('succeeded');
  journal = 'start one\n';
});

test('a new volume belongs to the user of the container, and the next version finds its data after the old one has stopped', async () => {
  const next = version('two');
  const { result, context } = await fixture.deploy(next);
  expect(result.outcome, context.text()).toBe('succeeded');
  await fixture.retireNow();
  journal += 'stop one\nstart two\n';
  expect(await fixture.answer(next)).toBe(journal);
  live = next;
});

test('a service with a volume keeps its host name, under which some programs keep their data', async () => {
  const { Config } = await inspect(fixture.host.docker, stable(live));
  expect(Config.Hostname).toBe(live.serviceSlug);
});

test('a version that does not become healthy stops before the old one starts again on the same data', async () => {
  const { limits } = fixture.parts;
  fixture.parts.limits = { ...limits, healthTimeoutMs: 2_000 };
  onTestFinished(() => {
    fixture.parts.limits = limits;
  });
  const { result } = await fixture.deploy(version('three', { internalPort: 3999 }));
  expect(result).toMatchObject({ outcome: 'threw', code: 'health_failed' });
  journal += 'stop two\nstart three\n';
  // It is killed with its container, so that it writes no last line.
  journal += 'start two\n';
  await expect.poll(() => fixture.answer(live).catch(() => '')).toBe(journal);
});

test('a Node app that does not handle SIGTERM ends at once, and the next version does not wait for ten seconds', async () => {
  const command = ['node', '-e', "require('http').createServer((_, reply) => reply.end('up')).listen(3000)"];
  const own = { ...volume, id: testId('volume') };
  const first = fixture.spec({ internalPort: 3000, container: { command }, volumes: [own] });
  expect((await fixture.deploy(first)).result.outcome).toBe('succeeded');
  const { result, context } = await fixture.deploy(fixture.spec({}, first));
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text()).toContain('Stopping the old version');
  expect(context.text()).not.toContain('was killed');
});

/** What follows a runner that died: the recovery of its job, or the chore of an undo that could not remove the new container. */
const recover = async (dead: DeploySpec, { checkpoints }: TestContext) =>
  expect(createDeployJob(fixture.parts).recover(dead, checkpoints, testContext())).rejects.toMatchObject({
    code: 'runner_restarted',
  });
const chore = ({ serviceId, deploymentId }: DeploySpec) =>
  retire(fixture.parts, { kind: 'attempt', serviceId, deploymentId, epoch: 1 }, AbortSignal.timeout(30_000));

test.each([
  ['the new version runs', 'four', '', recover],
  ['no version runs', 'five', 'stop five\n', recover],
  ['the new version runs and only a chore is left', 'six', '', chore],
])('a runner that dies while %s leaves the old version running, never two', async (_, name, last, end) => {
  const killed = version(name);
  const { context, reached } = hangingContext();
  void fixture.deploy(killed, { context });
  await reached;
  const { docker } = fixture.host;
  if (last) await docker.engine.getContainer(temporary(killed)).stop();
  const claims = { deployments: new Set([killed.deploymentId]), containers: new Set<string>() };
  await reconcile({ ...fixture.parts, say: () => {} }, () => claims);
  expect((await inspect(docker, stable(live))).State.Running).toBe(false);
  await end(killed, context);
  journal += `stop two\nstart ${name}\n${last}start two\n`;
  await expect.poll(() => fixture.answer(live).catch(() => '')).toBe(journal);
  await expect(inspect(docker, temporary(killed))).rejects.toMatchObject({ statusCode: 404 });
});

/** The job never gets its permission to switch, as if the process had been killed while it waited. */
function hangingContext(): { context: TestContext; reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const grant = () => {
    resolve();
    return new Promise<never>(() => undefined);
  };
  return { context: testContext({ grant }), reached: promise };
}

test('a late chore of an earlier attempt does not start the old version between its stop and the start of the new one', async () => {
  const { docker } = fixture.host;
  const next = version('late');
  // As a deployment leaves it at this moment: the new container is created, the old one has stopped.
  const { Image, Config, HostConfig } = await inspect(docker, stable(live));
  const created = await docker.engine.createContainer({
    ...{ name: temporary(next), Image, Cmd: Config.Cmd },
    Labels: { ...Config.Labels, 'longshore.deployment': next.deploymentId },
    HostConfig: { Mounts: HostConfig.Mounts ?? [] },
  });
  await docker.engine.getContainer(stable(live)).stop();
  await chore(version('failed before'));
  expect((await inspect(docker, stable(live))).State.Running).toBe(false);
  await created.remove();
  await chore(next);
  journal += `stop two\nstart two\n`;
  await expect.poll(() => fixture.answer(live).catch(() => '')).toBe(journal);
});

test('a volume of another service with the expected name is not mounted', async () => {
  const foreign = { ...volume, id: testId('volume') };
  const name = serviceVolumeName(live.serviceId, foreign.id);
  await fixture.host.docker.engine.createVolume({
    Name: name,
    Labels: { 'longshore.instance': fixture.host.docker.instance, 'longshore.service': testId('service') },
  });
  onTestFinished(async () => void (await fixture.host.docker.engine.getVolume(name).remove()));
  const { result } = await fixture.deploy(version('seven', { volumes: [volume, foreign] }));
  expect(result).toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining(`The volume ${name} on this host does not belong to this service`),
  });
  expect(await fixture.answer(live)).toBe(journal);
});

test('a mount path that leads elsewhere by links of the image is held against where it leads, before anything stops', async () => {
  fixture.commit('linked', {
    Dockerfile:
      'FROM node:24-slim\nRUN mkdir /real /links && ln -s /proc /links/proc && ln -s .. /links/root && ln -s /links/root/real /links/real\nCMD ["node"]\n',
  });
  const id = testId('volume');
  const linked = (...paths: string[]) => {
    const added = paths.map((mountPath, at) => ({ ...volume, id: `${id}${at}`, name: `v${at}`, mountPath }));
    return version('linked', { source: fixture.gitSource('linked'), volumes: [volume, ...added] });
  };
  const refusals = [
    [
      ['/links/proc/sys'],
      '/links/proc/sys: in the image, links lead from there to /proc/sys, which is a directory of the kernel.',
    ],
    [['/links/root'], '/links/root: in the image, links lead from there to /, which is the root directory.'],
    [
      ['/real', '/links/real/in'],
      '/links/real/in: in the image, links lead from there to /real/in, which is inside the path of another volume, or around it.',
    ],
  ] as const;
  for (const [paths, sentence] of refusals) {
    const { result } = await fixture.deploy(linked(...paths));
    expect(result).toMatchObject({ code: 'start_failed', message: expect.stringContaining(sentence) });
  }
  const names = (await fixture.host.docker.engine.listVolumes()).Volumes.map(({ Name }) => Name);
  expect(names.filter((name) => name.includes(id))).toEqual([]);
  expect(await fixture.answer(live)).toBe(journal);

  const harmless = linked('/links/real/data');
  const { result, context } = await fixture.deploy(harmless);
  expect(result.outcome, context.text()).toBe('succeeded');
  await fixture.retireNow();
  journal += 'stop two\nstart linked\n';
  expect(await fixture.answer(harmless)).toBe(journal);
  live = harmless;
});

test('what a volume holds is reported, and a container that fills it is stopped with the way out', async () => {
  const { docker } = fixture.host;
  const small = version('eight', { volumes: [{ ...volume, sizeMb: 8 }] });
  const { result, context } = await fixture.deploy(small);
  expect(result.outcome, context.text()).toBe('succeeded');
  live = small;
  const { Id } = await inspect(docker, stable(small));
  const watching = () => {
    const watch = startDiskWatch({
      ...{ docker, clock: systemClock, logger: silentLogger },
      freeBytes: readFreeBytes(docker),
    });
    onTestFinished(() => watch.stop());
    return watch;
  };
  const first = watching();
  await expect.poll(() => first.volumesOf(Id), { timeout: 30_000 }).toEqual([{ id: volume.id, usedMb: 1 }]);
  const [seen] = (await observe({ ...fixture.parts, disk: first })).filter(
    ({ serviceId }) => serviceId === small.serviceId,
  );
  expect(seen?.volumes).toEqual([{ id: volume.id, usedMb: 1 }]);
  const fill = `require('fs').writeFileSync('${volume.mountPath}/big', Buffer.alloc(9 * 2 ** 20, 1))`;
  const exec = await docker.engine.getContainer(Id).exec({ Cmd: ['node', '-e', fill] });
  await exec.start({});
  await expect.poll(async () => (await exec.inspect()).ExitCode, { timeout: 30_000 }).toBe(0);
  const second = watching();
  await expect
    .poll(() => second.stopReason(Id), { timeout: 30_000 })
    .toMatch(
      /wrote more than the 8 MB of its volume "data"\. It contains \d+ MB\. Its data is kept\. Raise the volume's "sizeMb"/,
    );
});
