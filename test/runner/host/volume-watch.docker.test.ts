/** Volumes that something other than Longshore has removed, with real Docker. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { labels, serviceVolumeName } from '../../../protocol/names.ts';
import type { DockerHost } from '../../../runner/docker/client.ts';
import { removeContainer } from '../../../runner/docker/containers.ts';
import { removeVolume, volumeLabels } from '../../../runner/docker/volumes.ts';
import { removeVolumes } from '../../../runner/host/tasks/host-tasks.ts';
import { volumesLookMs, watchVolumes } from '../../../runner/host/volume-watch.ts';
import { type KnownVolumes, knownVolumes } from '../../../runner/storage/known-volumes.ts';
import { stable } from '../../support/docker/deploy-fixture.ts';
import { useDeployFixture } from '../../support/docker/use-scenes.ts';
import { deployVolume } from '../../support/docker/use-volume.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { until } from '../../support/runner/until.ts';

const fixture = useDeployFixture();
let docker: DockerHost;
let known: KnownVolumes;

beforeAll(() => {
  known = knownVolumes(fixture.host.dataDirectory);
  docker = { ...fixture.host.docker, volumes: known };
  fixture.parts.docker = docker;
});

function watch(host = docker) {
  const clock = manualClock();
  let changes = 0;
  const changed = () => {
    changes += 1;
  };
  const watching = watchVolumes({ docker: host, known, clock, logger: silentLogger, changed });
  onTestFinished(() => watching.stop());
  const looked = () => until('a look', () => clock.waiting.includes(volumesLookMs));
  const look = async () => {
    await looked();
    await clock.advance(volumesLookMs);
    await looked();
  };
  return { look, looked, lossOf: watching.lossOf, changes: () => changes };
}

async function deployed() {
  const { live, volume } = await deployVolume(fixture);
  return { live, source: serviceVolumeName(live.serviceId, volume.id) };
}

/** What `docker rm -f` and `docker volume rm` do, or a cleaning by `docker system prune`. */
async function lose(live: DeploySpec, source: string) {
  await removeContainer(fixture.host.docker, stable(live));
  await removeVolume(fixture.host.docker, source);
}

const again = (live: DeploySpec) =>
  fixture.deploy(
    fixture.spec(
      { source: { type: 'kept', deploymentId: live.deploymentId, commitSha: null }, volumes: live.volumes },
      live,
    ),
  );

test('a volume that is gone is said within a minute, and no version starts on an empty one in its place', async () => {
  const { live, source } = await deployed();
  const { look, lossOf, changes } = watch();
  await look();
  expect(lossOf(live.serviceId)).toBeUndefined();
  await lose(live, source);
  await look();
  expect(lossOf(live.serviceId)?.sentence).toContain(`The volume ${source} is gone from this host`);
  expect(changes()).toBe(1);
  const { result } = await again(live);
  expect(result).toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('Nothing was started'),
  });
  expect(await volumeLabels(docker, source)).toBeUndefined();
}, 120_000);

test('a volume that is created while Docker makes its list is not missed', async () => {
  const listed = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const listVolumes = async (options: object) => {
    const found = await docker.engine.listVolumes(options);
    listed.resolve();
    await held.promise;
    return found;
  };
  const engine = Object.create(docker.engine, { listVolumes: { value: listVolumes } });
  const { looked, lossOf } = watch({ ...docker, engine });
  await listed.promise;
  const { live } = await deployed();
  held.resolve();
  await looked();
  expect(lossOf(live.serviceId)).toBeUndefined();
}, 120_000);

test('a service starts again once its owner has made an empty volume in place of one that is gone', async () => {
  const { live, source } = await deployed();
  await lose(live, source);
  const of = { [labels.instance]: docker.instance, [labels.service]: live.serviceId };
  await docker.engine.createVolume({ Name: source, Labels: of });
  const { result, context } = await again(live);
  expect(result.outcome, context.text()).toBe('succeeded');
}, 120_000);

test('a volume that Longshore removes with its service is not missed, even if it was gone before', async () => {
  const { live, source } = await deployed();
  const { look, lossOf } = watch();
  await lose(live, source);
  await look();
  expect(lossOf(live.serviceId)).toBeDefined();
  await removeVolumes({ docker, dataDirectory: fixture.host.dataDirectory }, {
    serviceId: live.serviceId,
  } as never);
  expect(knownVolumes(fixture.host.dataDirectory).has(source)).toBe(false);
}, 120_000);

test('a restarted runner still knows which volumes were here', async () => {
  const { live, source } = await deployed();
  await lose(live, source);
  fixture.parts.docker = { ...fixture.host.docker, volumes: knownVolumes(fixture.host.dataDirectory) };
  onTestFinished(() => {
    fixture.parts.docker = docker;
  });
  expect((await again(live)).result).toMatchObject({ code: 'start_failed' });
}, 120_000);
