/** Steps that hide from their build: their programs have none of the variables by which the runner knows whose they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createBuildCaps } from '../../../../runner/build-caps/build-caps.ts';
import { findCgroupTree } from '../../../../runner/build-caps/cgroup-tree.ts';
import { type DeployFixture, deployFixture } from '../../../support/docker/deploy-fixture.ts';
import { until } from '../../../support/runner/until.ts';

const memoryMb = 192;
const processesMax = 400;

let fixture: DeployFixture;
let reports: string[];

beforeAll(async () => {
  fixture = await deployFixture();
  reports = [];
  fixture.parts.buildCaps = createBuildCaps({
    settings: { buildMemoryMb: memoryMb, buildCpus: 1.5 },
    instance: fixture.host.docker.instance,
    report: (sentence) => void reports.push(sentence),
    processesMax,
  });
});

afterAll(() => fixture?.remove());

afterEach(async () => {
  expect(reports).toEqual([]);
  await until('the groups of ended builds are gone', () => groups().length === 0);
});

const tree = () => {
  const found = findCgroupTree();
  if (found === null) throw new Error('no control groups here');
  return found;
};

const groups = () =>
  readdirSync(join(tree().memory, 'longshore-builds')).filter((name) =>
    name.startsWith(fixture.host.docker.instance),
  );

/** `env` itself has the variables for a moment: a step that is seen just then is known, and its build's own limit counts. */
const killed = {
  code: expect.stringMatching(/^build_(failed|out_of_memory)$/),
  message: expect.stringMatching(/exit code 137|more than its 192 MB/),
};

/** Runs in the step's first process, with no variable of the build. */
const bare = (command: string) =>
  `RUN ${JSON.stringify(['/usr/bin/env', '-i', `PATH=${path}`, '/bin/sh', '-c', command])}`;
const path = '/usr/local/bin:/usr/bin:/bin';

async function build(name: string, ...lines: string[]) {
  fixture.commit(name, { Dockerfile: `FROM node:24-slim\n${lines.join('\n')}\nCMD ["node"]\n` });
  return await fixture.deploy(fixture.spec({ source: fixture.gitSource(name) }));
}

test('a step without any variable is in a group with the limits of a build within a few seconds', async () => {
  const { result, context } = await build('hidden', bare('sleep 4; cat /proc/self/cgroup; exit 3'));
  expect(result).toMatchObject({ code: 'build_failed', message: expect.stringContaining('exit code 3') });
  expect(context.text()).toMatch(/(?:memory|0:):\/longshore-builds\/\S+/);
});

test('a step without any variable that takes more memory than a build may is killed, and the host is not', async () => {
  const hog = 'sleep 2; node -e "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))"; exit $?';
  const { result } = await build('hidden-hog', bare(hog));
  expect(result).toMatchObject(killed);
});

test('a step without any variable that takes the memory before it is found is killed as well', async () => {
  // 600 MB at once, and then it only waits: what is charged already does not move with a process.
  const hog = 'globalThis.all = Buffer.alloc(600 << 20, 1); setTimeout(() => process.exit(4), 8000)';
  const { result } = await build('hidden-quick', bare(`exec node -e "${hog}"`));
  expect(result).toMatchObject(killed);
});

test.each([
  ['without any variable', bare],
  ['that is known', (command: string) => `RUN ${command}`],
])('a step %s cannot start more processes than its build may, and the others go on', async (_, step) => {
  const most = mostProcesses();
  const bomb = `i=0; while [ $i -lt ${3 * processesMax} ]; do sleep 30 & i=$((i+1)); done; echo started all $i`;
  const bombed = build(`bomb-${_.length}`, step(bomb));
  const other = await build('peaceful', 'RUN sleep 1; echo peace');
  const { result, context } = await bombed;
  expect(result).toMatchObject({ outcome: 'threw' });
  expect(context.text()).not.toContain(`started all ${3 * processesMax}`);
  expect(most()).toBeLessThanOrEqual(2 * processesMax + 50);
  expect(other.context.text()).toContain('peace');
});

/** Looks often, until the result is asked for. */
function mostProcesses(): () => number {
  const { pids } = tree();
  let most = 0;
  const timer = setInterval(() => {
    const counts = ['longshore-builds', 'docker/buildkit'].map((group) => {
      const file = join(pids ?? '', group, 'pids.current');
      return Number(readFileSync(file, 'utf8'));
    });
    most = Math.max(most, ...counts);
  }, 20);
  return () => {
    clearInterval(timer);
    return most;
  };
}

test('a Dockerfile that hides the mark with ENV is still held to the limits of its own build', async () => {
  const hog = 'RUN sleep 3; node -e "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))"';
  const { result } = await build('env-proxy', 'ENV NO_PROXY=git.internal', hog);
  expect(result).toMatchObject({
    code: 'build_out_of_memory',
    message: expect.stringContaining(`more than its ${memoryMb} MB`),
  });
});

test('a build without free processes fails with an error that says so', async () => {
  const bomb = `i=0; while [ $i -lt ${2 * processesMax} ]; do sleep 30 & i=$((i+1)); done`;
  const { result } = await build('bomb-told', `RUN sleep 1; ${bomb}`);
  expect(result).toMatchObject({
    code: 'build_failed',
    message: expect.stringContaining('reached its limit of 400 processes and threads'),
  });
});
