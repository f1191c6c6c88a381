/** The caps of builds where no build runs: defaults, hosts that can't enforce them, the files of cgroup version 2. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBuildCaps } from '../../../runner/build-caps/build-caps.ts';
import { BuildGroup, prepareParent } from '../../../runner/build-caps/build-group.ts';
import { type CgroupTree, findCgroupTree } from '../../../runner/build-caps/cgroup-tree.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const halfMemoryMb = Math.floor(totalmem() / 2 ** 20 / 2);
const halfCpus = availableParallelism() / 2;
const unset = { buildMemoryMb: null, buildCpus: null };

describe.each<[string, CgroupTree | null]>([
  ['without control groups', null],
  ['that lets the runner make none', { version: 1, memory: '/proc/memory', cpu: '/proc/cpu', pids: null }],
])('a host %s', (_, tree) => {
  test('a host %s builds anyway, and logs once which limits are not enforced and what to do', () => {
    const reports: string[] = [];
    const report = (sentence: string) => void reports.push(sentence);
    const caps = createBuildCaps({ settings: unset, instance: 'run_test', report, tree });
    for (const key of ['one', 'two']) {
      const build = caps.begin(key);
      expect(build).toMatchObject({ mark: null, memoryMb: halfMemoryMb, cpus: halfCpus });
      expect(build.ranOutOfMemory()).toBe(false);
      build.end();
    }
    expect(reports).toEqual([
      expect.stringMatching(
        `^Builds run without memory and CPU limits \\(buildMemoryMb ${halfMemoryMb}, buildCpus ${halfCpus}\\): .* Run the runner as root`,
      ),
    ]);
  });
});

const treeOf = (...directories: string[]) => {
  const root = temporaryDirectory();
  for (const name of directories) mkdirSync(join(root, name));
  return { root, found: findCgroupTree(root) };
};

test('the tree of version 1 has a hierarchy for memory and one for processors, alone or with their accounting', () => {
  const { root, found } = treeOf('memory', 'cpu,cpuacct');
  const memory = join(root, 'memory');
  expect(found).toEqual({ version: 1, memory, cpu: join(root, 'cpu,cpuacct'), pids: null });
  expect(treeOf('memory', 'cpu').found?.cpu).toMatch(/\/cpu$/);
  expect(treeOf('memory', 'cpu', 'pids').found?.pids).toMatch(/\/pids$/);
});

test('the tree is not used when one of the two is missing', () => {
  expect(treeOf('memory').found).toBeNull();
  expect(treeOf().found).toBeNull();
});

test('the tree of version 2 takes limits and the weight in its own words, and gives its controllers to builds', () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n');
  const tree = findCgroupTree(root);
  if (tree === null) throw new Error('not found');
  expect(tree).toEqual({ version: 2, memory: root, cpu: root, pids: root });
  const group = join(root, 'longshore-builds', 'run_test.1');
  mkdirSync(group, { recursive: true });
  // The kernel makes these with the directory.
  for (const file of ['memory.max', 'memory.swap.max', 'memory.oom.group', 'cpu.max', 'pids.max']) {
    writeFileSync(join(group, file), '');
  }
  writeFileSync(join(group, 'memory.events'), 'low 0\noom 3\noom_kill 2\n');
  writeFileSync(join(group, 'pids.events'), 'max 7\n');
  for (const file of ['memory.max', 'pids.max']) writeFileSync(join(root, 'longshore-builds', file), '');
  prepareParent(tree, 'run_other.', { memoryMb: 1024, processes: 900 });
  const build = new BuildGroup(tree, 'run_test.1', { memoryMb: 512, cpus: 1.5, processes: 300 });
  const text = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
  expect(text('cgroup.subtree_control')).toBe('+memory +cpu +pids');
  expect(text('longshore-builds', 'cgroup.subtree_control')).toBe('+memory +cpu +pids');
  expect(text('longshore-builds', 'memory.max')).toBe(String(1024 * 2 ** 20));
  expect(text('longshore-builds', 'pids.max')).toBe('900');
  expect(text('longshore-builds', 'cpu.weight')).toBe('50');
  const inGroup = (file: string) => text('longshore-builds', 'run_test.1', file);
  expect(inGroup('memory.max')).toBe(String(512 * 2 ** 20));
  expect(inGroup('memory.swap.max')).toBe('0');
  expect(inGroup('memory.oom.group')).toBe('1');
  expect(inGroup('cpu.max')).toBe('150000 100000');
  expect(inGroup('pids.max')).toBe('300');
  expect(build.oomKills()).toBe(2);
  expect(build.refusedForks()).toBe(7);
});
