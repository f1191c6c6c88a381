/**
 * A control group for the processes of one build, whichever step they belong to. What it uses together is limited; what leaves its
 * limit is killed in it, and nothing outside. Reads and writes are synchronous: the files are the kernel's memory, not a disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CgroupTree } from './cgroup-tree.ts';

export interface GroupLimits {
  /** In units of 2^20 bytes, like a service's `memoryLimitMb`. */
  memoryMb: number;
  /** Processors' worth of time; 1.5 is one and a half. */
  cpus: number;
}

/** Parent of every build's group, beside Docker's own. */
const parentName = 'longshore-builds';
/** All builds together against all containers together, when both want every processor: one part in three. */
const parentWeight = { 1: ['cpu.shares', '512'], 2: ['cpu.weight', '50'] } as const;
const periodMicroseconds = 100_000;
/** When the whole host runs out of memory, builds go before apps and databases (proc_pid_oom_score_adj(5)). */
const oomScoreAdjustment = 500;

/**
 * Makes the parent, and removes groups of this prefix that an earlier process left empty.
 * @throws Error (EACCES, EROFS) where the process may not make groups
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

  /** @throws Error when the group can't be made */
  constructor(tree: CgroupTree, name: string, limits: GroupLimits) {
    this.#tree = tree;
    this.#memory = join(tree.memory, parentName, name);
    this.#directories = rootsOf(tree).map((root) => join(root, parentName, name));
    this.#directories.forEach(makeGroup);
    const settings = tree.version === 1 ? settingsOfVersion1(limits) : settingsOfVersion2(limits);
    for (const [file, value] of settings) this.#set(file, value);
  }

  /** Moves a process, with all its threads; its later children are born here. One that has ended is none. */
  adopt(pid: number): void {
    try {
      for (const directory of this.#directories) writeFileSync(join(directory, 'cgroup.procs'), String(pid));
      writeFileSync(`/proc/${pid}/oom_score_adj`, String(oomScoreAdjustment));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'ENOENT') throw error;
    }
  }

  /** Processes that were killed because the limit was reached. */
  oomKills(): number {
    const file = this.#tree.version === 1 ? 'memory.oom_control' : 'memory.events';
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.#memory, file), 'utf8'))?.[1] ?? 0);
  }

  /** @returns false while processes are in it */
  remove(): boolean {
    return this.#directories.map(removeGroup).every(Boolean);
  }

  /** A file that a kernel without swap accounting or an older one does not have is passed over. */
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
  ['memory.oom.group', '1'], // the build ends as a whole, not with a worker that its parent waits for
  ['cpu.max', `${quotaOf(limits)} ${periodMicroseconds}`],
];

/** Not `recursive`: Node tries that for ever where a file system has no directories to make, such as in /proc (24.21). */
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
