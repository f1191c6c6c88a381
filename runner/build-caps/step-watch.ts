/**
 * Holds the steps of builds to limits. BuildKit accepts neither limits nor a parent group for a build: it runs each step in a new group.
 * Every new group is limited at once. Its processes are then moved:
 *
 * - into the group of their build, identified by a mark in their environment;
 * - into one group for all others. A step can start a program without the mark (`env -i`), and a Dockerfile can hide it (`ENV`), so steps
 *   without a known build must not get more than the others. They can also belong to other people's builds on this Docker.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BuildGroup } from './build-group.ts';
import type { CgroupTree } from './cgroup-tree.ts';
import { type GroupLimits, limitGroup } from './group-limits.ts';
import { environmentOf, isBeingPrepared, processesOf, stepGroups, stepParent } from './step-groups.ts';

export interface WatchedBuild {
  /** The mark in the environment of the build's steps, unless they hide it. */
  mark: string;
  /** The scope in the environment of all steps of the build's project, which no Dockerfile can change; `null` if unknown. */
  scope: string | null;
  group: BuildGroup;
}

export interface WatchParts {
  tree: CgroupTree;
  /** The limits of one build, and of all unclaimed steps together. */
  limits: GroupLimits;
  /** The limits of a group whose build is not yet known, and of all BuildKit groups together. */
  fence: Pick<GroupLimits, 'memoryMb' | 'processes'>;
  /** Name of the group for steps that no build claims. */
  unidentifiedName: string;
  /** The pattern of all marks, including those of other runners on this host. */
  anyMark: RegExp;
  /** Called once when the kernel refuses a step's limits: the runner itself must continue. */
  report: (sentence: string) => void;
}

interface Step {
  /** The time when the step was first seen with a process. */
  since: number | null;
  home: BuildGroup | null;
}

/** The search interval. Until a step is found, only the fence limits it. Events (inotify) would need directories that only a first build creates. */
const pollIntervalMs = 50;
/** A step whose command runs for this long without a mark has hidden it. */
const strayAfterMs = 1_000;
/** The container runtime becomes the step's command within this time, and another runner claims its own steps. */
const undecidedMs = 10_000;
/** The mark is in the first process, and its children have it as well. */
const readMax = 16;
/** A move takes about 0.3 ms and blocks the runner: a fork bomb must not cause thousands of moves at once. */
const movesMax = 100;

export class StepWatch {
  readonly #parts: WatchParts;
  readonly #builds = new Set<WatchedBuild>();
  readonly #steps = new Map<string, Step>();
  #ignored: ReadonlySet<string> = new Set();
  #unidentified: BuildGroup | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isFenced = false;
  #hasReported = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Limits the steps that begin from now on, while at least one build is watched. */
  add(build: WatchedBuild): void {
    this.#builds.add(build);
    if (this.#timer !== null) return;
    this.#ignored = new Set(stepGroups(this.#parts.tree));
    this.#fence();
    this.#timer = setInterval(() => this.#checkSafely(), pollIntervalMs);
  }

  /** @returns the group of unidentified steps, to be removed when no build is left; `null` if there were none */
  remove(build: WatchedBuild): BuildGroup | null {
    this.#builds.delete(build);
    for (const step of this.#steps.values()) if (step.home === build.group) step.home = null;
    if (this.#builds.size > 0 || this.#timer === null) return null;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#steps.clear();
    const unidentified = this.#unidentified;
    this.#unidentified = null;
    return unidentified;
  }

  #checkSafely(): void {
    try {
      this.#check();
    } catch (error) {
      if (!this.#hasReported) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#parts.report(`Steps of builds may run without limits: ${reason}.`);
      }
      this.#hasReported = true;
    }
  }

  #check(): void {
    const { tree, limits, fence } = this.#parts;
    this.#fence();
    for (const path of stepGroups(tree)) {
      if (this.#ignored.has(path) || this.#steps.has(path)) continue;
      limit(tree, path, { ...limits, memoryMb: fence.memoryMb });
      this.#steps.set(path, { since: null, home: null });
    }
    const movesEach = Math.ceil(movesMax / Math.max(1, this.#steps.size));
    for (const [path, step] of this.#steps) {
      const processes = processesOf(tree, path);
      if (processes === null) {
        this.#steps.delete(path);
        continue;
      }
      if (processes.length > 0) step.since ??= performance.now();
      step.home ??= this.#homeOf(path, step, processes);
      // Repeated each time: a child created while its parent was moved is still in the old group.
      step.home?.adopt(processes.slice(0, movesEach));
    }
  }

  /** @returns `null` while the step's group is undecided */
  #homeOf(path: string, { since }: Step, processes: number[]): BuildGroup | null {
    const environments = processes.slice(0, readMax).map(environmentOf);
    const holds = (text: string) => environments.some((one) => one.includes(text));
    const builds = [...this.#builds];
    const marked = builds.find(({ mark }) => holds(mark));
    if (marked) return marked.group;
    const age = since === null ? 0 : performance.now() - since;
    if (age < strayAfterMs || processes.length === 0) return null;
    const ofProject = builds.find(({ scope }) => scope !== null && holds(scope));
    if (ofProject) return ofProject.group;
    const isPending =
      processes.slice(0, readMax).some(isBeingPrepared) ||
      environments.some((one) => this.#parts.anyMark.test(one));
    return isPending && age < undecidedMs ? null : this.#unidentifiedGroup(path, processes);
  }

  /** Memory that the step already holds cannot be moved with it, so its old group is limited as well. */
  #unidentifiedGroup(path: string, processes: number[]): BuildGroup {
    const { tree, limits, unidentifiedName } = this.#parts;
    if (!limit(tree, path, limits)) for (const pid of processes) kill(pid);
    this.#unidentified ??= new BuildGroup(tree, unidentifiedName, limits);
    return this.#unidentified;
  }

  /** The parent exists from the first build since the host's start. */
  #fence(): void {
    const { tree, fence } = this.#parts;
    if (this.#isFenced || !existsSync(join(tree.memory, stepParent))) return;
    this.#isFenced = limit(tree, stepParent, fence);
  }
}

/** @returns false if the processes of the group already hold more memory */
function limit(tree: CgroupTree, path: string, limits: Partial<GroupLimits>): boolean {
  try {
    limitGroup(tree, path, limits);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EBUSY') return false;
    if (code === 'ENOENT' || code === 'ENODEV') return true; // the step has ended
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The step has ended.
  }
}
