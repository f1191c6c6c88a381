/** Builds are kind to the host: one that takes more than its cap dies alone, with a sentence that says the numbers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createBuildCaps } from '../../../../runner/build-caps/build-caps.ts';
import { BuildGroup } from '../../../../runner/build-caps/build-group.ts';
import { findCgroupTree } from '../../../../runner/build-caps/cgroup-tree.ts';
import { allBuilders, type Builder } from '../../../../runner/docker/image-build/builder.ts';
import { type DeployFixture, deployFixture, webApp } from '../../../support/docker/deploy-fixture.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { until } from '../../../support/runner/until.ts';

/** Takes memory that it writes to, in a child: the step's own shell lives on and gives the exit code on. */
const hungry = `node -e "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))"`;
const caps = { buildMemoryMb: 192, buildCpus: 1.5 };

let fixture: DeployFixture;
let reports: string[];

beforeAll(async () => {
  fixture = await deployFixture();
  reports = [];
  fixture.parts.buildCaps = createBuildCaps({
    settings: caps,
    instance: fixture.host.docker.instance,
    report: (sentence) => void reports.push(sentence),
  });
});

afterAll(() => fixture?.remove());

afterEach(async () => {
  expect(reports).toEqual([]);
  await until('the groups of ended builds are gone', () => groups().length === 0);
});

/** Names of this runner's groups. */
function groups(): string[] {
  const tree = findCgroupTree();
  if (tree === null) throw new Error('no control groups here');
  return readdirSync(join(tree.memory, 'longshore-builds')).filter((name) =>
    name.startsWith(fixture.host.docker.instance),
  );
}

/** As the kernel tells them. */
function limitsOf(group: string): { memory: string; cpus: number } {
  const tree = findCgroupTree();
  const read = (root: string | undefined, file: string) =>
    readFileSync(join(root ?? '', 'longshore-builds', group, file), 'utf8').trim();
  const [quota, period] =
    tree?.version === 1
      ? [read(tree.cpu, 'cpu.cfs_quota_us'), read(tree.cpu, 'cpu.cfs_period_us')]
      : read(tree?.cpu, 'cpu.max').split(' ');
  const memory = read(tree?.memory, tree?.version === 1 ? 'memory.limit_in_bytes' : 'memory.max');
  return { memory, cpus: Number(quota) / Number(period) };
}

const app = (step: string) => ({
  ...webApp('built'),
  Dockerfile: webApp('').Dockerfile?.replace('USER', `RUN ${step}\nUSER`) ?? '',
});

async function deploy(name: string, files: Record<string, string>) {
  fixture.commit(name, files);
  const spec = fixture.spec({ source: fixture.gitSource(name) });
  const { result, context } = await fixture.deploy(spec);
  return { spec, result, context };
}

test.each<Builder>(['buildkit', 'classic'])(
  'a step that takes more than the cap is killed, and the sentence names the cap, the step and the setting (%s)',
  async (builder) => {
    fixture.parts.builders = [builder];
    const { result } = await deploy('hungry', app(hungry));
    fixture.parts.builders = allBuilders;
    expect(result).toEqual({
      outcome: 'threw',
      code: 'build_out_of_memory',
      message:
        `The build needed more than its 192 MB of memory and was killed at "${hungry}": reduce its memory use, ` +
        "or raise buildMemoryMb in the host's runner.json and restart the runner.",
    });
  },
);

test('the steps of a build share one cap: two that fit alone do not fit together', async () => {
  // What a step has taken before it is found stays outside the cap: it waits, on a busy machine too. Then both hold their half for long.
  const take = 'globalThis.all = Buffer.alloc(110 << 20, 1); setTimeout(() => {}, 20000)';
  const half = `node -e "setTimeout(() => { ${take} }, 3000)"`;
  const Dockerfile = [
    `FROM node:24-slim AS one\nRUN ${half} && touch /one`,
    `FROM node:24-slim AS two\nRUN ${half} && touch /two`,
    'FROM node:24-slim\nCOPY --from=one /one /\nCOPY --from=two /two /\nCMD ["node"]\n',
  ].join('\n');
  const { result } = await deploy('two-steps', { Dockerfile });
  expect(result).toMatchObject({ code: 'build_out_of_memory' });
});

test('a project without a Dockerfile is held to the cap as well', async () => {
  const { result } = await deploy('analyzed', {
    'package.json': JSON.stringify({
      name: 'analyzed',
      scripts: { build: 'node build.js', start: 'node server.js' },
    }),
    'build.js': 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));',
    'server.js': webApp('x')['server.js'] ?? '',
  });
  expect(result).toMatchObject({
    code: 'build_out_of_memory',
    message: expect.stringContaining('more than its 192 MB'),
  });
});

test('two builds at once have a cap each, and the one that is killed takes nothing from the other', async () => {
  const frugal = `node -e "const all = Buffer.alloc(110 << 20, 1); setTimeout(() => console.log(all.length), 4000)"`;
  const [kept, killed] = await Promise.all([
    deploy('frugal', app(frugal)),
    deploy('greedy', app(`sleep 1; ${hungry}`)),
  ]);
  expect(killed.result).toMatchObject({ code: 'build_out_of_memory' });
  expect(kept.result, kept.context.text()).toMatchObject({ outcome: 'succeeded' });
  expect(await fixture.answer(kept.spec)).toBe('built ');
});

test('a step sees the limits of its build, and what fails for another reason is not called memory', async () => {
  const { result, context } = await deploy('looks', app('sleep 1; cat /proc/self/cgroup; exit 3'));
  expect(result).toMatchObject({ code: 'build_failed', message: expect.stringContaining('exit code 3') });
  const group = context.text().match(/(?:memory|0:):\/longshore-builds\/(\S+)/)?.[1];
  expect(group).toMatch(new RegExp(`^${fixture.host.docker.instance}\\.`));
});

test('the mark is added to the hosts that a service reaches without a proxy', async () => {
  fixture.commit('proxied', {
    'package.json': JSON.stringify({
      name: 'proxied',
      scripts: { build: 'node build.js', start: 'node server.js' },
    }),
    'build.js': 'require("node:fs").writeFileSync("seen.txt", process.env.NO_PROXY)',
    'server.js':
      'require("node:http").createServer((_, r) => r.end(require("node:fs").readFileSync("seen.txt"))).listen(process.env.PORT)',
  });
  const spec = fixture.spec({ source: fixture.gitSource('proxied') });
  const { result, context } = await fixture.deploy(spec, { secrets: { env: { no_proxy: 'git.internal' } } });
  expect(result, context.text()).toMatchObject({ outcome: 'succeeded' });
  expect(await fixture.answer(spec)).toMatch(/^git\.internal,longshore-build-[0-9a-f]{32}\.invalid$/);
});

test('a container that brings the mark of a build along stays in its own group', async () => {
  const begun = fixture.parts.buildCaps?.begin('spoofed');
  const { engine, instance } = fixture.host.docker;
  const container = await engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['sh', '-c', 'sleep 1; cat /proc/self/cgroup'],
    Env: [`NO_PROXY=${begun?.mark}`],
    Labels: { 'longshore.instance': instance },
  });
  try {
    await container.start();
    await container.wait();
    const text = (await container.logs({ stdout: true })).toString('utf8');
    expect(text).toMatch(/memory|0::/);
    expect(text).not.toContain('longshore-builds');
  } finally {
    await container.remove({ force: true });
    begun?.end();
  }
});

test('the mark is the same for each build of a service, so that a changed file rebuilds no earlier step', async () => {
  const stamped = app('date +%N > /stamp; cat /stamp');
  const files = { ...stamped, Dockerfile: stamped.Dockerfile.replace('RUN', 'ARG NO_PROXY\nRUN') };
  const first = await deploy('cached', files);
  expect(first.result).toMatchObject({ outcome: 'succeeded' });
  fixture.commit('cached', { ...files, 'other.txt': 'changed' });
  const again = fixture.spec({ ...first.spec, deploymentId: fixture.spec().deploymentId });
  const { result, context } = await fixture.deploy(again);
  expect(result).toMatchObject({ outcome: 'succeeded' });
  expect(context.text()).toMatch(/RUN date .*\(cached\)/);
});

test('a running step is in a group with both limits, and an abort leaves neither', async () => {
  fixture.commit('slow', app('echo begun && sleep 300'));
  const context = testContext();
  const deployment = fixture.deploy(fixture.spec({ source: fixture.gitSource('slow') }), { context });
  await context.printed(/^begun$/);
  expect(groups()).toHaveLength(1);
  expect(limitsOf(groups()[0] ?? '')).toEqual({ memory: String(192 * 2 ** 20), cpus: 1.5 });
  context.abort();
  expect(await deployment).toMatchObject({ result: { message: 'job stopped: aborted' } });
});

test('a group of a dead runner is removed at the next start, and one of another runner stays', () => {
  const tree = findCgroupTree();
  if (tree === null) throw new Error('no control groups here');
  const { instance } = fixture.host.docker;
  const limits = { memoryMb: 64, cpus: 1, processes: 100 };
  new BuildGroup(tree, `${instance}.0.1`, limits);
  const other = new BuildGroup(tree, `other-${instance}.0.1`, limits);
  expect(groups()).toHaveLength(1);
  createBuildCaps({ settings: caps, instance, report: (sentence) => void reports.push(sentence) });
  expect(groups()).toEqual([]);
  expect(existsSync(join(tree.memory, 'longshore-builds', `other-${instance}.0.1`))).toBe(true);
  expect(other.remove()).toBe(true);
});
