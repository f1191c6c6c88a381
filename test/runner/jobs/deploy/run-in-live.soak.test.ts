/** Commands in a live container whose processes ignore every signal that they can: these are killed, and the app beside them is not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSpec } from '../../../../protocol/job-spec.ts';
import { commandMark, hasProcesses } from '../../../../runner/base/marked-processes.ts';
import { type ContainerFacts, inspectContainer } from '../../../../runner/docker/containers.ts';
import { runInLive } from '../../../../runner/jobs/deploy/run-in-live.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../../../support/docker/live-container.ts';
import { useTestHost } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { memoryTraffic } from '../../../support/runner/memory-traffic.ts';

const host = useTestHost();
let made: Awaited<ReturnType<typeof createLiveContainer>>;
let before: ContainerFacts;
beforeAll(async () => {
  made = await createLiveContainer(host.docker, idle, { port: '' });
  await made.container.start();
  before = await inspectContainer(host.docker, made.container.id);
});
afterAll(() => made.container.remove({ force: true }));

const specOf = (command: string, timeLimitSeconds: number): RunSpec => ({
  ...{ kind: 'run', projectId: testId('project'), serviceId: made.serviceId, runId: testId('run') },
  ...{ deploymentId: testId('deployment'), commitSha: null, command, timeLimitSeconds, runsIn: 'live' },
  ...{ runtimeMode: 'worker', internalPort: 0, memoryLimitMb: null, cpuLimit: null },
  limits: { pids: null, openFiles: null, diskMb: null, buildLogBytes: null },
});
const start = (spec: RunSpec, context = testContext()) =>
  runInLive({ docker: host.docker, traffic: memoryTraffic() }, spec, context).catch((error) => error);

/** Nothing of the command is left, and the app was not touched. */
async function expectOnlyApp({ runId }: RunSpec): Promise<void> {
  const mark = commandMark(host.docker.instance, runId);
  expect(await hasProcesses({ mark, leader: 0, container: 0 })).toBe(false);
  expect((await inspectContainer(host.docker, made.container.id)).startedAt).toBe(before.startedAt);
}

const stubborn = "trap '' TERM HUP INT; (while :; do sleep 1; done) &";

test('a command that ignores SIGTERM, as its children do, is killed 10 s later, and the app runs on', async () => {
  const spec = specOf(`${stubborn} echo begun; while :; do sleep 1; done`, 600);
  const context = testContext();
  const ended = start(spec, context);
  await context.printed(/begun/);
  const from = performance.now();
  context.abort();
  expect(await ended).toMatchObject({ reason: 'aborted' });
  expect(performance.now() - from).toBeGreaterThan(9_000);
  await expectOnlyApp(spec);
});

test('a command that has succeeded within its time keeps its result, although the end of its background processes takes longer', async () => {
  const spec = specOf(`${stubborn} exit 0`, 5);
  expect(await start(spec)).toEqual({ outcome: 'succeeded', facts: { exitCode: 0 } });
  await expectOnlyApp(spec);
});
