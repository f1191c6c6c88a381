/** Limits of a build on memory, CPU and processes, and how they are enforced. */
import { createHmac, randomBytes } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { BuildGroup, prepareParent } from './build-group.ts';
import { type CgroupTree, findCgroupTree } from './cgroup-tree.ts';
import type { GroupLimits } from './group-limits.ts';
import { StepWatch, type WatchParts } from './step-watch.ts';

export interface BuildCaps {
  /**
   * @param key identifies the build; one build per key runs at a time
   * @param scope secret text in the environment of all steps of the project (build-scope.ts)
   */
  begin(key: string, scope?: string): CappedBuild;
}

export interface CappedBuild extends GroupLimits {
  /**
   * BuildKit puts this mark into the environment of each build step; `null` if limits can't be enforced. The mark of a key is the same
   * while the runner runs. It is secret, so that no other build can put its steps into this build's group.
   */
  mark: string | null;
  /** True if a process was killed because the build reached its memory limit. */
  ranOutOfMemory(): boolean;
  /** True if a process could not start because the build had too many. */
  ranOutOfProcesses(): boolean;
  end(): void;
}

export interface CapParts {
  /** The limits of RunnerConfig; `null` means half of the machine. */
  settings: { buildMemoryMb: number | null; buildCpus: number | null };
  /** Prefix of this runner's groups. */
  instance: string;
  /** Called once if builds can't be limited. */
  report: (sentence: string) => void;
  tree?: CgroupTree | null;
  /** The limit of one build, threads included. */
  processesMax?: number;
}

/** The limit of an app's container, too; large builds have some hundreds. */
const buildProcessesMax = 4_096;
/** The limit of all builds together, on kernels that count to 32,768. */
const allBuildsProcessesMax = 8_192;
/** The share of the machine's memory for all builds together. */
const allBuildsMemoryShare = 0.75;
/** 128 bits; fits into a DNS label (63 characters). */
const markChars = 32;
const anyMark = new RegExp(`longshore-build-[0-9a-f]{${markChars}}\\.invalid`);
/** Steps of an aborted build may still be ending when the build ends. */
const removeEveryMs = 200;
const removeTriesMax = 50;

export function createBuildCaps({
  settings,
  instance,
  report,
  tree = findCgroupTree(),
  processesMax = buildProcessesMax,
}: CapParts): BuildCaps {
  const machineMb = totalmem() / 2 ** 20;
  const limits: GroupLimits = {
    memoryMb: settings.buildMemoryMb ?? Math.floor(machineMb / 2),
    cpus: settings.buildCpus ?? availableParallelism() / 2,
    processes: processesMax,
  };
  // The same limits from each runner on this host, and never below the operator's own.
  const fence = {
    memoryMb: Math.max(Math.floor(machineMb * allBuildsMemoryShare), limits.memoryMb),
    processes: allBuildsProcessesMax,
  };
  const groups = usableTree(tree, instance, fence, (reason) =>
    report(
      `Builds run without memory and CPU limits (buildMemoryMb ${limits.memoryMb}, buildCpus ${limits.cpus}): ${reason}. ` +
        'Run the runner as root on the system that Docker runs on.',
    ),
  );
  if (groups === null) return { begin: () => ({ ...limits, ...unlimited }) };
  const unidentifiedName = `${instance}.${process.pid}.strays`;
  return enforced({ tree: groups, limits, fence, unidentifiedName, anyMark, report }, instance);
}

const unlimited = {
  mark: null,
  ranOutOfMemory: () => false,
  ranOutOfProcesses: () => false,
  end: () => {},
};

function enforced(parts: WatchParts, instance: string): BuildCaps {
  const { tree, limits } = parts;
  const secret = randomBytes(32);
  const markOf = (key: string) => createHmac('sha256', secret).update(key).digest('hex').slice(0, markChars);
  const watch = new StepWatch(parts);
  let count = 0;
  return {
    begin(key, scope) {
      const mark = `longshore-build-${markOf(key)}.invalid`;
      const group = new BuildGroup(tree, `${instance}.${process.pid}.${++count}`, limits);
      const build = { mark, scope: scope ?? null, group };
      watch.add(build);
      return {
        ...limits,
        mark,
        ranOutOfMemory: () => group.oomKills() > 0,
        ranOutOfProcesses: () => group.refusedForks() > 0,
        end() {
          const unidentified = watch.remove(build);
          removeWhenEmpty(group);
          if (unidentified) removeWhenEmpty(unidentified);
        },
      };
    },
  };
}

function usableTree(
  tree: CgroupTree | null,
  instance: string,
  fence: Pick<GroupLimits, 'memoryMb' | 'processes'>,
  refused: (reason: string) => void,
): CgroupTree | null {
  if (tree === null) {
    refused('this system has no control groups for memory and CPU');
    return null;
  }
  try {
    prepareParent(tree, `${instance}.`, fence);
    return tree;
  } catch (error) {
    refused(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function removeWhenEmpty(group: BuildGroup, tries = 1): void {
  if (group.remove() || tries === removeTriesMax) return; // the next start of the runner removes it
  setTimeout(removeWhenEmpty, removeEveryMs, group, tries + 1).unref();
}
