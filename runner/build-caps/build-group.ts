/**
 * A control group for the processes of all steps of one build. Their total use is limited. If they exceed the memory limit, only
 * processes in the group are killed. Reads and writes are synchronous: the files are kernel memory, not a disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CgroupTree } from './cgroup-tree.ts';

export interface GroupLimits {
  /** In units of 2^20 bytes, as a service's `memoryLimitMb`. */
  memoryMb: number;
  /** In processors; 1.5 is one and a half. */
  cpus: number;
}

/** Parent of all build groups, next to Docker's own. */
const parentName = 'longshore-builds';
/** Weight of all builds against all containers when both use every processor: builds get one third. */
const parentWeight = { 1: ['cpu.shares', '512'], 2: ['cpu.weight', '50'] } as const;
const periodMicroseconds = 100_000;
/** When the whole host runs out of memory, the kernel kills builds before apps and databases (proc_pid_oom_score_adj(5)). */
const oomScoreAdjustment = 500;

/**
 * Creates the parent group, and removes empty groups with this prefix that an earlier process left.
 * @throws Error (EACCES, EROFS) where the process may not create groups
 */
export function prepareParent(tree: CgroupTree, prefix: string): void {
  for (const root of rootsOf(tree)) {
    const parent = join(root, parentName);
    makeGroup(parent);
    if (tree.version === 2) {
      for (const group of [root, parent])
        writeFileSync(join(group, 'cgroup.subtree_control'), '+memory +cpu');
    }
    for (const name of readdirSync(parent)) if (name.startsWith(prefix)) removeGroup(join(parent, name));
  }
  const [file, weight] = parentWeight[tree.version];
  writeFileSync(join(tree.cpu, parentName, file), weight);
}

export class BuildGroup {
  readonly #tree: CgroupTree;
  readonly #directories: string[];
  readonly #memory: string;

  /** @throws Error when the group can't be created */
  constructor(tree: CgroupTree, name: string, limits: GroupLimits) {
    this.#tree = tree;
    this.#memory = join(tree.memory, parentName, name);
    this.#directories = rootsOf(tree).map((root) => join(root, parentName, name));
    this.#directories.forEach(makeGroup);
    const settings = tree.version === 1 ? settingsOfVersion1(limits) : settingsOfVersion2(limits);
    for (const [file, value] of settings) this.#set(file, value);
  }

  /** Moves a process with all its threads; its later children start in the group. Ignores a process that has ended. */
  adopt(pid: number): void {
    try {
      for (const directory of this.#directories) writeFileSync(join(directory, 'cgroup.procs'), String(pid));
      writeFileSync(`/proc/${pid}/oom_score_adj`, String(oomScoreAdjustment));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'ENOENT') throw error;
    }
  }

  /** Number of processes killed because of the memory limit. */
  oomKills(): number {
    const file = this.#tree.version === 1 ? 'memory.oom_control' : 'memory.events';
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.#memory, file), 'utf8'))?.[1] ?? 0);
  }

  /** @returns false while the group contains processes */
  remove(): boolean {
    return this.#directories.map(removeGroup).every(Boolean);
  }

  /** Skips files that this kernel does not have (no swap accounting, or an older kernel). */
  #set(file: string, value: string): void {
    const path = this.#directories.map((directory) => join(directory, file)).find((one) => existsSync(one));
    if (path) writeFileSync(path, value);
  }
}

const rootsOf = ({ memory, cpu }: CgroupTree) => [...new Set([memory, cpu])];

const bytesOf = ({ memoryMb }: GroupLimits) => String(Math.floor(memoryMb * 2 ** 20));
const quotaOf = ({ cpus }: GroupLimits) => String(Math.max(1_000, Math.round(cpus * periodMicroseconds)));

const settingsOfVersion1 = (limits: GroupLimits): [string, string][] => [
  ['memory.limit_in_bytes', bytesOf(limits)],
  ['memory.memsw.limit_in_bytes', bytesOf(limits)], // no swap on top
  ['cpu.cfs_period_us', String(periodMicroseconds)],
  ['cpu.cfs_quota_us', quotaOf(limits)],
];

const settingsOfVersion2 = (limits: GroupLimits): [string, string][] => [
  ['memory.max', bytesOf(limits)],
  ['memory.swap.max', '0'],
  ['memory.oom.group', '1'], // kills the whole build, so that no parent waits for a killed worker
  ['cpu.max', `${quotaOf(limits)} ${periodMicroseconds}`],
];

/** Not `recursive`: on a file system without mkdir, such as /proc, Node then loops for ever (24.21). */
function makeGroup(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function removeGroup(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
