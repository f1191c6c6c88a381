/** Callers by the internal name while one of two replicas is killed and starts again. */
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../runner/base/clock.ts';
import { portAnswers } from '../../../runner/base/port-answers.ts';
import { ExitHistory, watchContainers } from '../../../runner/docker/events.ts';
import { watchReplicas } from '../../../runner/host/replica-watch.ts';
import { useOpenScene } from '../../support/docker/use-open-scene.ts';
import { startInternalCaller } from '../../support/real-world/internal-caller.ts';
import { runningContainers } from '../../support/real-world/open-at-switch.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { until } from '../../support/runner/until.ts';

const { fixture, deploy } = useOpenScene();

test('while a replica starts again, new connections by the internal name are led to the one that listens, but for its first milliseconds', {
  tags: 'slow',
  timeout: 90_000,
}, async () => {
  // It listens a while after it runs, as most do.
  const command = ['sh', '-c', 'sleep 2; exec node server.js'];
  const spec = await deploy('', undefined, { replicas: 2, container: { command } });
  const { docker } = fixture.host;
  const { traffic, names } = fixture.parts;
  const replicas = watchReplicas({ traffic, names, clock: systemClock, logger: silentLogger });
  const ending = new AbortController();
  const changed = () => {
    replicas.changed();
    void names.sync();
  };
  const watching = watchContainers(docker, new ExitHistory(), changed, ending.signal).catch(() => {});
  onTestFinished(async () => {
    ending.abort();
    await Promise.all([watching, replicas.stop()]);
  });
  const caller = await startInternalCaller(docker, {
    projectId: spec.projectId,
    networkRange: fixture.parts.networkRange,
    url: `http://${spec.serviceSlug}:${spec.internalPort}/`,
  });
  onTestFinished(() => caller.remove());
  const [victim] = await runningContainers(spec.serviceId);
  const { State } = await docker.engine.getContainer(victim?.id ?? '').inspect();
  process.kill(State.Pid, 'SIGKILL');
  await until('it to be gone', async () => (await runningContainers(spec.serviceId)).length === 1);
  // What met it in its last moment was refused or cut, and counts no more.
  await caller.seen();
  await until('it to run again', async () => (await runningContainers(spec.serviceId)).length === 2);
  await until('it to listen', () => portAnswers(victim?.address ?? '', spec.internalPort, 1_000), 20_000);
  const { fresh } = await caller.seen();
  const failed = Object.entries(fresh).filter(([text]) => /^E[A-Z]+$|silent/.test(text));
  const failures = failed.reduce((sum, [, count]) => sum + count, 0);
  // Half of more than a hundred were refused. The rules follow within milliseconds of its start.
  expect(failures, JSON.stringify(fresh)).toBeLessThan(5);
  // It gets its share again.
  const name = victim?.id.slice(0, 12) ?? '';
  await until('it to be called', async () => Object.keys((await caller.seen()).fresh).includes(name), 20_000);
});
