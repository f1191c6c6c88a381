/** A deployment that fails, at whatever step: the old version serves untouched and nothing of the new one is left. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { allBuilders, type Builder } from '../../../../runner/docker/image-build/builder.ts';
import { deployLimits } from '../../../../runner/jobs/parts/deploy-limits.ts';
import { stable, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect, runsOnHost, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';

const fixture = useDeployFixture();
let live: DeploySpec;
let before: string[];
let liveContainer: string;

beforeAll(async () => {
  fixture.parts.limits = { ...deployLimits, healthTimeoutMs: 1_500 };
  fixture.commit('shop', webApp('old'));
  live = fixture.spec({ source: fixture.gitSource('shop') });
  const { result, context } = await fixture.deploy(live);
  expect(result.outcome, context.text()).toBe('succeeded');
  liveContainer = (await inspect(fixture.host.docker, stable(live))).Id;
});

beforeEach(async () => {
  before = (await fixture.host.leftovers()).sort();
});

afterEach(async () => {
  expect(await fixture.answer(live)).toBe('old ');
  expect(await fixture.aliasesOf(stable(live))).toEqual([live.serviceSlug]);
  expect((await inspect(fixture.host.docker, stable(live))).Id).toBe(liveContainer);
  expect((await fixture.host.leftovers()).sort()).toEqual(before);
});

const attempt = async (
  files: Record<string, string>,
  more: Partial<DeploySpec> = {},
  context = testContext(),
) => {
  fixture.commit('shop', files);
  return await fixture.deploy(fixture.spec(more, live), { context });
};

describe.each<Builder>(['buildkit', 'classic'])('with the %s builder', (builder) => {
  beforeEach(() => {
    fixture.parts.builders = [builder];
  });

  afterEach(() => {
    fixture.parts.builders = allBuilders;
  });

  test('a failing step is named, and its output is in the log line by line', async () => {
    const Dockerfile = 'FROM node:24-slim\nRUN echo first; echo second >&2; exit 3\n';
    const { result, context } = await attempt({ Dockerfile });
    expect(result).toEqual({
      outcome: 'threw',
      code: 'build_failed',
      message: 'The build step "echo first; echo second >&2; exit 3" failed with exit code 3.',
    });
    expect(context.lines).toContainEqual({ stream: 'stdout', text: 'first' });
    expect(context.lines).toContainEqual({ stream: 'stderr', text: 'second' });
  });

  test('an abort stops the build and its running step, long before that would end', async () => {
    const mark = testId('job');
    const Dockerfile = `FROM node:24-slim\nRUN echo begun && sleep 300 && echo ${mark}\n`;
    const context = testContext();
    const deployment = attempt({ Dockerfile }, {}, context);
    await context.printed(/^begun$/);
    expect(runsOnHost(mark)).toBe(true);
    context.abort();
    expect(await deployment).toMatchObject({ result: { outcome: 'threw', message: 'job stopped: aborted' } });
    await expect.poll(() => runsOnHost(mark), { interval: 20 }).toBe(false);
  });
});

test('a Dockerfile that cannot be read as one is a failed build', async () => {
  const { result } = await attempt({ Dockerfile: 'FROM node:24-slim\nRUM nothing\n' });
  expect(result).toMatchObject({
    code: 'build_failed',
    message: expect.stringMatching(/Dockerfile, line 2: "RUM"/),
  });
});

test('a missing Dockerfile fails by name when the method is dockerfile', async () => {
  const { result } = await attempt(webApp('x'), {
    build: { ...live.build, method: 'dockerfile', dockerfilePath: 'deploy/Dockerfile' },
  });
  expect(result).toMatchObject({
    code: 'build_method_missing',
    message: expect.stringContaining('deploy/Dockerfile'),
  });
});

test('an image without a command fails with that reason', async () => {
  const { result } = await attempt({ Dockerfile: 'FROM scratch\nCOPY Dockerfile /\n' });
  expect(result).toMatchObject({ code: 'start_failed', message: expect.stringContaining('add CMD') });
});

test('a container that dies shows its last words', async () => {
  const { result, context } = await attempt({
    ...webApp('x'),
    'server.js': 'console.error("no database"); process.exit(7)',
  });
  expect(result).toMatchObject({ code: 'health_failed', message: expect.stringContaining('exit code 7') });
  expect(context.lines).toContainEqual({ stream: 'stderr', text: 'no database' });
});

test('a container killed for its memory is reported as such', async () => {
  const hungry = 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));';
  const { result } = await attempt({ ...webApp('x'), 'server.js': hungry }, { memoryLimitMb: 64 });
  expect(result).toMatchObject({
    code: 'health_failed',
    message: expect.stringContaining('out of memory (limit 64 MB)'),
  });
});

test('a wrong port is named, with the port that is listened on', async () => {
  const server = 'require("node:http").createServer().listen(3000)';
  const { result } = await attempt({ ...webApp('x'), 'server.js': server });
  expect(result).toMatchObject({
    code: 'health_failed',
    message: expect.stringMatching(/^Nothing answers on port 8080.*listens on 3000/),
  });
});

test('an app that listens only on its own loopback is reported as such', async () => {
  const server = 'require("node:http").createServer().listen(8080, "127.0.0.1")';
  const { result } = await attempt({ ...webApp('x'), 'server.js': server });
  expect(result).toMatchObject({ code: 'health_failed', message: expect.stringContaining('127.0.0.1 only') });
});

test('a health check path that answers 404 is named with the answer', async () => {
  const { result } = await attempt(webApp('x'), { healthCheckPath: '/missing' });
  expect(result).toMatchObject({
    code: 'health_failed',
    message: expect.stringMatching(/GET \/missing .*404/),
  });
});

test('a denied switch removes the new version', async () => {
  const seen: string[] = [];
  const grant = async () => {
    seen.push(...(await fixture.host.leftovers()));
    return false;
  };
  const { result } = await attempt(webApp('new'), {}, testContext({ grant }));
  expect(result).toMatchObject({ code: 'switch_denied' });
  expect(seen.length).toBeGreaterThan(before.length); // the new version stood there
});

test('an abort while the permission is requested ends as aborted', async () => {
  const context = testContext({
    grant: () => {
      context.abort();
      return false;
    },
  });
  const { result } = await attempt(webApp('new'), {}, context);
  expect(result).toMatchObject({ message: 'job stopped: aborted' });
});

test('a switch that fails puts the traffic back', async () => {
  const { switchTo } = fixture.traffic;
  let calls = 0;
  fixture.traffic.switchTo = async (route) => {
    calls += 1;
    await switchTo(route);
    if (calls === 1) throw new Error('edge is silent');
  };
  const { result } = await attempt(webApp('new'));
  fixture.traffic.switchTo = switchTo;
  expect(result).toMatchObject({ code: 'switch_failed', message: expect.stringContaining('edge is silent') });
  expect(fixture.traffic.current(live.serviceId)?.deploymentId).toBe(live.deploymentId);
});

const dyingServer = 'require("node:net").createServer(() => process.exit(9)).listen(process.env.PORT)';

test('a server that answers and dies never gets the traffic when it dies at once', async () => {
  const { switchTo } = fixture.traffic;
  const moves: string[] = [];
  fixture.traffic.switchTo = async (route) => {
    moves.push(route.deploymentId);
    await switchTo(route);
  };
  const { result } = await attempt({ ...webApp('x'), 'server.js': dyingServer });
  fixture.traffic.switchTo = switchTo;
  expect(result).toMatchObject({ code: 'health_failed', message: expect.stringContaining('exit code 9') });
  expect(moves).toEqual([]);
});

test('a server that answers and dies loses the traffic again when it dies while the move spreads', async () => {
  const { switchTo } = fixture.traffic;
  const moves: string[] = [];
  fixture.traffic.switchTo = async (route) => {
    moves.push(route.deploymentId);
    await switchTo(route);
    const candidate = stable(route).replace('stable', route.deploymentId);
    if (moves.length === 1) await fixture.host.docker.engine.getContainer(candidate).kill();
  };
  const { result } = await attempt(webApp('new'));
  fixture.traffic.switchTo = switchTo;
  expect(result).toMatchObject({ code: 'health_failed' });
  expect(moves).toEqual([expect.any(String), live.deploymentId]);
});
