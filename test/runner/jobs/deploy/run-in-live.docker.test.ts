/** Commands in the live container of a service: what they see, how they end, and that nothing of them is left. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DeploySpec, RunSpec } from '../../../../protocol/job-spec.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { commandMark, endProcesses, hasProcesses } from '../../../../runner/base/marked-processes.ts';
import { inspectContainer } from '../../../../runner/docker/containers.ts';
import { connectionsOf } from '../../../../runner/host/sleep/sleeper.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { type TestContext, testContext } from '../../../support/runner/job-context.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
let live: DeploySpec;

/** It keeps a file on its volume, as SQLite does, and lets a test fill its memory. */
const app = {
  Dockerfile:
    'FROM node:24-slim\nRUN mkdir /data && chown node /data\nWORKDIR /app\nCOPY server.js .\nUSER node\nCMD ["node", "server.js"]\n',
  'server.js': `
    require('node:fs').writeFileSync('/data/state', 'of the app');
    require('node:http').createServer((_, response) => response.end('up')).listen(process.env.PORT);
    process.on('SIGTERM', () => process.exit(0));
  `,
};

beforeAll(async () => {
  fixture.commit('live', app);
  const volume = { id: testId('volume'), name: 'data', mountPath: '/data', sizeMb: null };
  live = fixture.spec({ source: fixture.gitSource('live'), volumes: [volume], memoryLimitMb: 192 });
  await deployed(live);
}, 120_000);

async function deployed(spec: DeploySpec): Promise<void> {
  const env = { GREETING: 'from-the-container', TOKEN: 'a-secret-of-the-container' };
  const { result, context } = await fixture.deploy(spec, { secrets: { env, secretKeys: ['TOKEN'] } });
  expect(result.outcome, context.text()).toBe('succeeded');
}

/** A newer version of the same image: it replaces the live one. */
const next = (more: Partial<DeploySpec> = {}) =>
  fixture.spec({ source: { type: 'kept', deploymentId: live.deploymentId, commitSha: null }, ...more }, live);

const noLimits = { pids: null, openFiles: null, diskMb: null, buildLogBytes: null };
const specOf = (command: string, more: Partial<RunSpec> = {}): RunSpec => ({
  ...{ kind: 'run', projectId: live.projectId, serviceId: live.serviceId, runId: testId('run') },
  ...{ deploymentId: live.deploymentId, commitSha: null, command, timeLimitSeconds: 120, runsIn: 'live' },
  ...{
    runtimeMode: 'web',
    internalPort: live.internalPort,
    memoryLimitMb: null,
    cpuLimit: null,
    limits: noLimits,
  },
  ...more,
});

async function run(spec: RunSpec, context: TestContext = testContext()) {
  const { run: job } = createJobs(fixture.parts);
  const result = await job
    .run(spec, { env: { GREETING: 'changed since' }, gitToken: null }, context)
    .catch((error: Error & { code?: string }) => ({
      outcome: 'threw',
      code: error.code,
      message: error.message,
    }));
  return { result, context, text: context.text() };
}

const isRunning = ({ runId }: RunSpec) =>
  hasProcesses({ mark: commandMark(fixture.host.docker.instance, runId), leader: 0, container: 0 });
const containerOf = (spec: Pick<DeploySpec, 'serviceId'>) =>
  inspectContainer(fixture.host.docker, stable(spec));

/** Starts a command that prints `begun` and goes on. */
function begin(command: string, more: Partial<RunSpec> = {}) {
  const spec = specOf(command, more);
  const context = testContext();
  const ended = run(spec, context);
  return { spec, context, ended, begun: context.printed(/begun/) };
}

test('a command sees the volume, user, directory, network and variables of the container, and its output stays apart', async () => {
  const line =
    'cat /data/state; echo; echo more > /data/more; id -un; pwd; echo "$GREETING"; echo odd >&2; hostname';
  const { result, context } = await run(specOf(line));
  expect(result, context.text()).toEqual({ outcome: 'succeeded', facts: { exitCode: 0 } });
  const of = (stream: string) =>
    context.lines
      .filter((one) => one.stream === stream)
      .map(({ text }) => text)
      .join('');
  expect(of('stdout')).toMatch(/^of the app\nnode\n\/app\nfrom-the-container\n/);
  expect(of('stderr')).toBe('odd\n');
  expect(of('system')).toContain(`Runs in the container ${stable(live)} of ${live.deploymentId}`);
  expect((await run(specOf('cat /data/more'))).text).toContain('more');
});

test('values that only the container has are masked, although the variables have changed since', async () => {
  expect((await run(specOf('true'))).context.hidden).toContain('a-secret-of-the-container');
});

test('a command that fails reports its exit code, and one without a shell to run it says so', async () => {
  expect((await run(specOf('exit 3'))).result).toEqual({
    ...{ outcome: 'failed', code: 'run_failed', facts: { exitCode: 3 } },
    message: 'The command ended with exit code 3.',
  });
});

test('a command gets no input, and ends although its background process holds the output, which ends with it', async () => {
  const spec = specOf('cat; sleep 900 & echo begun');
  const { result, text } = await run(spec);
  expect([result.outcome, text]).toEqual(['succeeded', expect.stringContaining('begun')]);
  expect(await isRunning(spec)).toBe(false);
});

test('a command that closes its output itself runs to its end', async () => {
  const { result } = await run(specOf('exec >&- 2>&-; sleep 2; echo ended > /data/closed; exit 4'));
  expect(result).toMatchObject({ code: 'run_failed', facts: { exitCode: 4 } });
  expect((await run(specOf('cat /data/closed'))).text).toContain('ended');
});

test('an aborted command gets SIGTERM, and its processes have ended while the app runs on', async () => {
  const { pid } = await containerOf(live);
  const { spec, context, ended, begun } = begin(
    "trap 'echo cleaned; exit 0' TERM; sleep 901 & echo begun; while :; do sleep 1; done",
  );
  await begun;
  expect(await isRunning(spec)).toBe(true);
  context.abort();
  expect((await ended).text).toContain('cleaned');
  expect(await isRunning(spec)).toBe(false);
  expect((await containerOf(live)).pid).toBe(pid);
});

test('a command whose time is over is ended with everything that it has started', async () => {
  const { spec, ended } = begin('sleep 900 & sleep 900', { timeLimitSeconds: 1 });
  expect((await ended).result).toMatchObject({
    code: 'deadline',
    message: expect.stringContaining('within 1 s'),
  });
  expect(await isRunning(spec)).toBe(false);
});

test('a command whose runner has died is ended by the next runner, which says so', async () => {
  const { spec, begun } = begin('echo begun; sleep 902');
  await begun;
  const recovered = createJobs(fixture.parts).run.recover(spec, {}, testContext());
  await expect(recovered).rejects.toMatchObject({ code: 'runner_restarted' });
  expect(await isRunning(spec)).toBe(false);
});

test('the start of a runner, which ends the shells of the one before, ends no command', async () => {
  const { spec, begun, context, ended } = begin('echo begun; sleep 903');
  await begun;
  await endProcesses(systemClock, { mark: `${fixture.host.docker.instance}.`, leader: 0, container: 0 });
  expect(await isRunning(spec)).toBe(true);
  context.abort();
  await ended;
});

test('a running command counts as a use of its service, so that the service stays awake', async () => {
  const route = fixture.traffic.current(live.serviceId) as NonNullable<
    ReturnType<typeof fixture.traffic.current>
  >;
  const { docker } = fixture.host;
  await until('nothing open', async () => (await connectionsOf(docker, route)) === 0);
  const { begun, context, ended } = begin('echo begun; sleep 904');
  await begun;
  expect(await connectionsOf(docker, route)).toBe(1);
  context.abort();
  await ended;
  expect(await connectionsOf(docker, route)).toBe(0);
});

test('a command ends with its container, and says that the container was restarted, with the reason', {
  tags: 'slow',
}, async () => {
  const { ended, begun } = begin('echo begun; sleep 905');
  await begun;
  const { pid } = await containerOf(live);
  process.kill(pid, 'SIGKILL');
  const { result } = await ended;
  expect(result).toMatchObject({ outcome: 'threw', code: 'run_failed' });
  expect(result).toMatchObject({
    message: expect.stringMatching(
      /^The container ended while the command ran in it\. The container ended with exit code 137\. Its effects/,
    ),
  });
  await until('it runs again', async () => (await containerOf(live)).running);
});

test('a command does not delay a deployment, which replaces its container, and says so', {
  tags: 'slow',
}, async () => {
  const { ended, begun } = begin('echo begun; sleep 906');
  await begun;
  live = next();
  await deployed(live);
  const { result } = await ended;
  expect(result).toMatchObject({
    code: 'run_failed',
    message: expect.stringContaining('while the command ran in it'),
  });
  expect((await run(specOf('cat /data/state'))).text).toContain('of the app');
});

test('of several replicas, the first one that runs gets the command', { tags: 'slow' }, async () => {
  const one = fixture.spec({ source: fixture.gitSource('live'), replicas: 2 });
  await deployed(one);
  const inOne = () => run(specOf('true', { serviceId: one.serviceId }));
  expect((await inOne()).text).toContain(`${stable(one)} of`);
  await fixture.host.docker.engine.getContainer(stable(one)).stop({ t: 0 });
  expect((await inOne()).text).toContain(`${stable(one)}-2 of`);
});

test('a command that needs more memory than the container has left is explained, and the app runs on', {
  tags: 'slow',
}, async () => {
  const before = await containerOf(live);
  const fill = `node -e "const all = []; for (;;) all.push(Buffer.alloc(8e6, 1))"`;
  // The kernel kills the process that uses the most memory: the command.
  const { result } = await run(specOf(`${fill}; exit $?`));
  expect(result).toMatchObject({ code: 'run_failed', facts: { exitCode: 137 } });
  expect(result).toMatchObject({ message: expect.stringContaining('ran out of memory (limit 192 MB)') });
  expect((await containerOf(live)).startedAt).toBe(before.startedAt);
});

test('without a running container a command is refused with the reason and the way out', async () => {
  const nowhere = await run(specOf('true', { serviceId: testId('service') }));
  const wayOut = /With "container": "new" a command needs no running container, but gets no volumes\.$/;
  expect(nowhere.result).toMatchObject({ code: 'start_failed', message: expect.stringMatching(wayOut) });
  expect(nowhere.result).toMatchObject({
    message: expect.stringContaining('no container of the service runs'),
  });
  const { docker } = fixture.host;
  await docker.engine.getContainer(stable(live)).stop({ t: 0 });
  onTestFinished(async () => void (await docker.engine.getContainer(stable(live)).start()));
  expect((await run(specOf('true'))).result).toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(/does not run at the moment \(its last exit code is \d+\)/),
  });
  const route = fixture.traffic.current(live.serviceId) as NonNullable<
    ReturnType<typeof fixture.traffic.current>
  >;
  await fixture.traffic.setAsleep(route as never, {
    asleepSince: Date.now(),
    lastWokeAt: null,
    lastWakeMs: null,
  });
  expect((await run(specOf('true'))).result).toMatchObject({
    message: expect.stringContaining('is asleep: send it a request'),
  });
});
