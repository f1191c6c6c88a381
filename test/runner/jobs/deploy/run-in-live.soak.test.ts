/** A command in a live container that ignores every signal that it can: it is killed, and the app beside it is not. */
import { expect, onTestFinished, test } from 'vitest';
import type { RunSpec } from '../../../../protocol/job-spec.ts';
import { commandMark, hasProcesses } from '../../../../runner/base/marked-processes.ts';
import { inspectContainer } from '../../../../runner/docker/containers.ts';
import { runInLive } from '../../../../runner/jobs/deploy/run-in-live.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../../../support/docker/live-container.ts';
import { useTestHost } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { memoryTraffic } from '../../../support/runner/memory-traffic.ts';

const host = useTestHost();

test('a command that ignores SIGTERM, as its children do, is killed 10 s later, and the app runs on', async () => {
  const { docker } = host;
  const { container, serviceId } = await createLiveContainer(docker, idle, { port: '' });
  onTestFinished(() => container.remove({ force: true }));
  await container.start();
  const before = await inspectContainer(docker, container.id);
  const spec: RunSpec = {
    ...{ kind: 'run', projectId: testId('project'), serviceId, runId: testId('run') },
    ...{ deploymentId: testId('deployment'), commitSha: null, timeLimitSeconds: 600, runsIn: 'live' },
    ...{ runtimeMode: 'worker', internalPort: 0, memoryLimitMb: null, cpuLimit: null },
    limits: { pids: null, openFiles: null, diskMb: null, buildLogBytes: null },
    command: `trap '' TERM HUP INT; (while :; do sleep 1; done) & echo begun; while :; do sleep 1; done`,
  };
  const context = testContext();
  const ended = runInLive({ docker, traffic: memoryTraffic() }, spec, context).catch((error) => error);
  await context.printed(/begun/);
  const from = performance.now();
  context.abort();
  expect(await ended).toMatchObject({ reason: 'aborted' });
  expect(performance.now() - from).toBeGreaterThan(9_000);
  const mark = commandMark(docker.instance, spec.runId);
  expect(await hasProcesses({ mark, leader: 0, container: 0 })).toBe(false);
  expect((await inspectContainer(docker, container.id)).startedAt).toBe(before.startedAt);
});
