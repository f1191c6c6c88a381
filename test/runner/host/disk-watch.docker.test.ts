/** Limits of a tenant's containers on the real daemon: processes, open files, and what a container writes. */
import { expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { readFreeBytes } from '../../../runner/docker/disk-space.ts';
import { measureBytes, writtenPlaces } from '../../../runner/docker/disk-use.ts';
import { loggedContainers } from '../../../runner/docker/follow-log.ts';
import { Troubles } from '../../../runner/docker/troubles.ts';
import { startDiskWatch } from '../../../runner/host/disk-watch.ts';
import { observe } from '../../../runner/host/observe.ts';
import { stable } from '../../support/docker/deploy-fixture.ts';
import { inspect } from '../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../support/docker/use-scenes.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';

const fixture = useDeployFixture();
const mb = 2 ** 20;

const limits = { pids: 64, openFiles: 256, diskMb: 64, buildLogBytes: null };

/** A worker that writes this many megabytes on a signal, into its own layer or into a volume of its image. */
async function deployWriter(name: string, directory: string, more: Partial<DeploySpec> = {}) {
  const script = `process.on('SIGTERM', () => process.exit(0));
    process.on('SIGUSR2', () => {
      require('node:fs').writeFileSync('${directory}/big', Buffer.alloc(${100 * mb}, 1));
      console.log('written');
    });
    setInterval(() => {}, 1000);`;
  fixture.commit(name, {
    'main.js': script,
    Dockerfile:
      'FROM node:24-slim\nRUN mkdir /files\nVOLUME /files\nCOPY main.js /main.js\nCMD ["node", "/main.js"]\n',
  });
  const spec = fixture.spec({
    ...{ runtimeMode: 'worker', hostnames: [], limits, source: fixture.gitSource(name) },
    ...more,
  });
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  const container = fixture.host.docker.engine.getContainer(stable(spec));
  /** Ends when the file is whole: a watch that measures before would look again minutes later. */
  const write = async () => {
    await container.kill({ signal: 'SIGUSR2' });
    const log = async () => String(await container.logs({ stdout: true }));
    await expect.poll(log, { timeout: 60_000 }).toContain('written');
  };
  return { spec, container, write, id: (await container.inspect()).Id };
}

function watchDisk() {
  const { docker } = fixture.host;
  const watch = startDiskWatch({
    ...{ docker, clock: systemClock, logger: silentLogger },
    freeBytes: readFreeBytes(docker),
  });
  onTestFinished(() => watch.stop());
  return watch;
}

test('a container of a tenant gets its limits of processes and open files', async () => {
  const { spec } = await deployWriter('limited', '/tmp');
  const { HostConfig } = await inspect(fixture.host.docker, stable(spec));
  expect(HostConfig).toMatchObject({
    PidsLimit: 64,
    Ulimits: [{ Name: 'nofile', Soft: 256, Hard: 256 }],
  });
});

test('a container starts although its limit of open files is above what Docker can set here', async () => {
  const { spec } = await deployWriter('wide', '/tmp', { limits: { ...limits, openFiles: 1_048_576 } });
  expect((await inspect(fixture.host.docker, stable(spec))).State.Running).toBe(true);
});

test.each([
  ['its own layer', '/tmp'],
  ['a volume that its image declares', '/files'],
])(
  'a container that writes more than its limit into %s is stopped, with the reason where its owner looks',
  async (place, directory) => {
    const { spec, container, write, id } = await deployWriter(place.replaceAll(' ', '-'), directory);
    await write();
    const watch = watchDisk();
    await expect.poll(async () => (await container.inspect()).State.Running, { timeout: 60_000 }).toBe(false);
    const reason = watch.stopReason(id);
    expect(reason).toMatch(/wrote more than its disk limit of 64 MB\. It contains 1\d\d MB\./);
    const { docker } = fixture.host;
    const [seen] = (await observe({ ...fixture.parts, troubles: new Troubles(docker), disk: watch })).filter(
      ({ serviceId }) => serviceId === spec.serviceId,
    );
    expect(seen).toMatchObject({
      state: 'crashed',
      reachable: false,
      trouble: { sentence: reason, cause: 'disk_limit' },
    });
    const logged = await loggedContainers(docker, spec.serviceId, {
      stopReason: (one) => watch.stopReason(one),
    });
    expect(logged).toMatchObject([{ isLive: true, stopReason: reason }]);
  },
);

test('a container below its limit runs on, and what it holds is reported; one without a limit is not measured', async () => {
  const { spec, id } = await deployWriter('small', '/tmp');
  const free = await deployWriter('free', '/tmp', { limits: { ...limits, diskMb: null } });
  await free.write();
  const watch = watchDisk();
  await expect.poll(() => watch.usedMb(id), { timeout: 60_000 }).toBe(64);
  expect([watch.stopReason(id), watch.usedMb(free.id), watch.stopReason(free.id)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect((await inspect(fixture.host.docker, stable(spec))).State.Running).toBe(true);
  expect((await inspect(fixture.host.docker, stable(free.spec))).State.Running).toBe(true);
});

test('a measurement that takes too long is reported', async () => {
  const { id } = await deployWriter('slow', '/tmp');
  const places = await writtenPlaces(fixture.host.docker, id);
  expect(places?.writable).toHaveLength(2);
  expect(await measureBytes(['/'], 1)).toBe('too long');
  await expect(measureBytes(['/does-not-exist'], 10_000)).rejects.toThrow('du');
});
