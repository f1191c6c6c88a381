/** Several containers of one version behind one name, with the real proxy: deployments, deaths, stops. */
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { replicaName } from '../../../../protocol/names.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { ExitHistory, watchContainers } from '../../../../runner/docker/events.ts';
import { observe } from '../../../../runner/host/observe.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { healthRoundMs } from '../../../../runner/host/replica-health.ts';
import { watchReplicas } from '../../../../runner/host/replica-watch.ts';
import { stopService } from '../../../../runner/host/tasks/stop-service.ts';
import { addressesOf } from '../../../../runner/proxy/traffic.ts';
import { namedApp, stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { keepAsking } from '../../../support/docker/keep-asking.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';
import { manualClock } from '../../../support/runner/manual-clock.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();

beforeAll(() => {
  fixture.parts.traffic = proxy.proxy.traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
  fixture.commit('replicas', namedApp);
});

const health = { healthCheckPath: '/', health: { healthCheckTimeoutSeconds: 1 } };

async function deploy(replicas: number, of?: DeploySpec): Promise<DeploySpec> {
  const hostPort = proxy.config.webPorts.first;
  const spec = fixture.spec({ source: fixture.gitSource('replicas'), hostPort, replicas, ...health }, of);
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  return spec;
}

const load = (spec: DeploySpec) => keepAsking(proxy.config.httpPort, spec.hostnames[0] ?? '', 6);
const target = ({ serviceId }: DeploySpec) => {
  const found = proxy.proxy.traffic.current(serviceId)?.target;
  if (found?.type !== 'container') throw new Error('no container is routed');
  return found;
};
const containers = ({ serviceId }: DeploySpec) =>
  fixture.host.docker.engine
    .listContainers({ all: true, filters: { label: [`longshore.service=${serviceId}`] } })
    .then((all) => all.map(({ Names }) => Names[0]?.slice(1)).sort());
const names = (spec: DeploySpec, count: number) =>
  Array.from({ length: count }, (_, index) => replicaName(stable(spec), index)).sort();

let spec: DeploySpec;

test('three replicas answer in turn, and deployments of them, of fewer and of more lose no request', async () => {
  spec = await deploy(3);
  expect(target(spec).others).toHaveLength(2);
  const asking = load(spec);
  await until('answers of all replicas', () => asking.bodies().length === 3);
  for (const count of [3, 1, 3]) {
    spec = await deploy(count, spec);
    await fixture.retireNow();
    expect(await containers(spec)).toEqual(names(spec, count));
  }
  const { failures, bodies } = await asking.stop();
  expect(failures).toEqual([]);
  expect(bodies.length).toBeGreaterThanOrEqual(3 + 3 + 1);
}, 120_000);

test('a replica that dies leaves the traffic at once and comes back once it answers, while the service is running', async () => {
  const { docker } = fixture.host;
  const replicas = watchReplicas({ traffic: proxy.proxy.traffic, clock: systemClock, logger: console });
  const watching = new AbortController();
  const watched = watchContainers(docker, new ExitHistory(), () => replicas.changed(), watching.signal);
  const second = replicaName(stable(spec), 1);
  const { address, others = [] } = target(spec);
  // Requests that were in it when it died are lost, and those that came before that was known; nothing that comes later is.
  const before = load(spec);
  let failures: string[] = [];
  try {
    await docker.engine.getContainer(second).kill();
    await until('the dead one to be out of the traffic', () => target(spec).down?.join() === others[0]);
    await before.stop();
    const later = load(spec);
    const [seen] = await observe({ docker, traffic: proxy.proxy.traffic });
    expect(seen).toMatchObject({ state: 'running', reachable: true });
    await until('more answers', () => later.answers() > 50);
    await docker.engine.getContainer(second).start();
    await until('it to be back', () => target(spec).down === undefined);
    expect([target(spec).address, target(spec).others]).toEqual([address, others]);
    ({ failures } = await later.stop());
  } finally {
    watching.abort();
    await replicas.stop();
    await watched;
    await before.stop();
  }
  expect(failures).toEqual([]);
}, 60_000);

test('requests wait while all replicas are away, and while Docker starts them again', async () => {
  const { docker } = fixture.host;
  const replicas = watchReplicas({ traffic: proxy.proxy.traffic, clock: systemClock, logger: console });
  const watching = new AbortController();
  const changed = (serviceId?: string) => replicas.changed(serviceId);
  const watched = watchContainers(docker, new ExitHistory(), changed, watching.signal);
  const all = addressesOf(target(spec)).map((_, index) =>
    docker.engine.getContainer(replicaName(stable(spec), index)),
  );
  try {
    await Promise.all(all.map((one) => one.kill()));
    await until('none to be left', () => (target(spec).awayUntil ?? 0) > Date.now());
    const asking = load(spec);
    await Promise.all(all.map((one) => one.start()));
    await until('answers', () => asking.answers() > 50);
    expect((await asking.stop()).failures).toEqual([]);
    await until('all to be back', () => target(spec).down === undefined);
    expect(target(spec).awayUntil).toBeUndefined();
  } finally {
    watching.abort();
    await replicas.stop();
    await watched;
  }
}, 60_000);

test('a replica that hangs leaves the traffic by its health path, and comes back once it answers', async () => {
  const clock = manualClock();
  const replicas = watchReplicas({ traffic: proxy.proxy.traffic, clock, logger: console });
  const second = fixture.host.docker.engine.getContainer(replicaName(stable(spec), 1));
  const out = target(spec).others?.[0];
  const inRounds = (condition: () => boolean) => async () => {
    await clock.advance(healthRoundMs);
    return condition();
  };
  await second.pause();
  try {
    await until(
      'the hanging one to be out',
      inRounds(() => target(spec).down?.join() === out),
      60_000,
    );
    const asking = load(spec);
    await until('answers without it', () => asking.answers() > 100);
    expect(await asking.stop()).toMatchObject({ failures: [] });
  } finally {
    await second.unpause();
  }
  await until(
    'it to be back',
    inRounds(() => target(spec).down === undefined),
    60_000,
  );
  await replicas.stop();
}, 60_000);

test('a restart of the runner keeps all replicas, and a stop ends them all', async () => {
  const parts = { docker: fixture.host.docker, traffic: proxy.proxy.traffic, dataDirectory: proxy.dataDir };
  const nothing = { deployments: new Set<string>(), containers: new Set<string>() };
  await reconcile({ ...parts, say: () => undefined }, () => nothing);
  expect(await containers(spec)).toEqual(names(spec, 3));
  const { serviceId, projectId, deploymentId } = spec;
  await stopService(parts, { kind: 'stop-service', serviceId, projectId, deploymentId });
  for (const name of names(spec, 3)) {
    expect((await inspect(fixture.host.docker, name)).State.Running).toBe(false);
  }
  expect(await observe(parts)).toMatchObject([{ serviceId, state: 'stopped' }]);
}, 60_000);
