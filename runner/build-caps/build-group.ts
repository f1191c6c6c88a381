/**
 * A control group for the processes of all steps of one build. Its total use is limited. Above the memory limit, only processes in the
 * group are killed. Reads and writes are synchronous: the files are kernel memory, not a disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CgroupTree, rootsOf } from './cgroup-tree.ts';
import { type GroupLimits, limitGroup } from './group-limits.ts';

/** Parent of all build groups, next to Docker's own. */
const parentName = 'longshore-builds';
/** Weight of all builds against all containers when both use every processor: builds get one third. */
const parentWeight = { 1: ['cpu.shares', '512'], 2: ['cpu.weight', '50'] } as const;
/** The host's kernel kills builds before apps and databases when memory runs out (proc_pid_oom_score_adj(5)). */
const oomScoreAdjustment = 500;

/**
 * Creates the parent group, and removes empty groups with this prefix left by an earlier process.
 * @param limits of all builds together
 * @throws Error (EACCES, EROFS) where the process may not create groups
 */
export function prepareParent(tree: CgroupTree, prefix: string, limits: Partial<GroupLimits>): void {
  for (const root of rootsOf(tree)) {
    const parent = join(root, parentName);
    makeGroup(parent);
    if (tree.version === 2) {
      const controllers = `+memory +cpu${tree.pids === null ? '' : ' +pids'}`;
      for (const group of [root, parent]) writeFileSync(join(group, 'cgroup.subtree_control'), controllers);
    }
    for (const name of readdirSync(parent)) if (name.startsWith(prefix)) removeGroup(join(parent, name));
  }
  const [file, weight] = parentWeight[tree.version];
  writeFileSync(join(tree.cpu, parentName, file), weight);
  try {
    limitGroup(tree, parentName, limits);
  } catch (error) {
    // Builds of another runner on this host hold more at the moment: the parent's current limit stays.
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
  }
}

export class BuildGroup {
  readonly #tree: CgroupTree;
  readonly #name: string;
  readonly #directories: string[];
  readonly #processes: number;

  /** @throws Error when the group can't be created */
  constructor(tree: CgroupTree, name: string, limits: GroupLimits) {
    this.#tree = tree;
    this.#name = join(parentName, name);
    this.#directories = rootsOf(tree).map((root) => join(root, this.#name));
    this.#directories.forEach(makeGroup);
    this.#processes = limits.processes;
    limitGroup(tree, this.#name, limits);
    // Version 2 then kills the whole build, so that no parent waits for a killed worker.
    const whole = join(tree.memory, this.#name, 'memory.oom.group');
    if (existsSync(whole)) writeFileSync(whole, '1');
  }

  /**
   * Moves processes with all their threads; their later children start in the group. Processes that have ended are ignored, and so is a removed
   * group. Processes above the group's limit are not moved: the kernel refuses new processes in a full group, but no moves into it.
   */
  adopt(pids: readonly number[]): void {
    for (const pid of pids.slice(0, this.#room())) this.#adoptOne(pid);
  }

  #adoptOne(pid: number): void {
    try {
      for (const directory of this.#directories) writeFileSync(join(directory, 'cgroup.procs'), String(pid));
      writeFileSync(`/proc/${pid}/oom_score_adj`, String(oomScoreAdjustment));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'ENOENT' && code !== 'ENODEV') throw error;
    }
  }

  /** Number of processes killed because of the memory limit. */
  oomKills(): number {
    const file = this.#tree.version === 1 ? 'memory.oom_control' : 'memory.events';
    return this.#count(this.#tree.memory, file, /^oom_kill (\d+)$/m);
  }

  /** Number of processes and threads that could not start because of the limit. */
  refusedForks(): number {
    return this.#tree.pids === null ? 0 : this.#count(this.#tree.pids, 'pids.events', /^max (\d+)$/m);
  }

  /** @returns false while the group contains processes */
  remove(): boolean {
    return this.#directories.map(removeGroup).every(Boolean);
  }

  #room(): number {
    const { pids } = this.#tree;
    const used = pids === null ? 0 : this.#count(pids, 'pids.current', /^(\d+)$/m);
    return Math.max(0, this.#processes - used);
  }

  #count(root: string, file: string, line: RegExp): number {
    const path = join(root, this.#name, file);
    return existsSync(path) ? Number(line.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) : 0;
  }
}

/** Not `recursive`: on a file system without mkdir, such as /proc, Node then loops forever (24.21). */
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
