/** Memory and CPU limits of a build, and how they are enforced. */
import { createHmac, randomBytes } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { BuildGroup, type GroupLimits, prepareParent } from './build-group.ts';
import { type CgroupTree, findCgroupTree } from './cgroup-tree.ts';
import { watchSteps } from './step-watch.ts';

export interface BuildCaps {
  /** @param key identifies what is built; there is one build per key at a time */
  begin(key: string): CappedBuild;
}

export interface CappedBuild extends GroupLimits {
  /**
   * BuildKit puts this into the environment of each build step; null where limits can't be enforced. It is the same for each build of
   * a key while the runner runs. It is secret, so that no other build can put its steps into this build's group.
   */
  mark: string | null;
  /** Whether a process was killed because the build reached its memory limit. */
  ranOutOfMemory(): boolean;
  end(): void;
}

export interface CapParts {
  /** From RunnerConfig; null means half of the machine. */
  settings: { buildMemoryMb: number | null; buildCpus: number | null };
  /** Prefix of this runner's groups. */
  instance: string;
  /** Called once if builds can't be limited. */
  report: (sentence: string) => void;
  tree?: CgroupTree | null;
}

/** 128 bits; fits into a DNS label (63 characters). */
const markChars = 32;
/** Steps of an aborted build may still be ending when the build ends. */
const removeEveryMs = 200;
const removeTriesMax = 50;

export function createBuildCaps({
  settings,
  instance,
  report,
  tree = findCgroupTree(),
}: CapParts): BuildCaps {
  const limits = {
    memoryMb: settings.buildMemoryMb ?? Math.floor(totalmem() / 2 ** 20 / 2),
    cpus: settings.buildCpus ?? availableParallelism() / 2,
  };
  const groups = usableTree(tree, instance, (reason) =>
    report(
      `Builds run without memory and CPU limits (buildMemoryMb ${limits.memoryMb}, buildCpus ${limits.cpus}): ${reason}. ` +
        'Run the runner as root on the system that Docker runs on.',
    ),
  );
  const secret = randomBytes(32);
  const markOf = (key: string) => createHmac('sha256', secret).update(key).digest('hex').slice(0, markChars);
  let count = 0;
  return {
    begin(key) {
      if (groups === null) return { ...limits, mark: null, ranOutOfMemory: () => false, end: () => {} };
      const mark = `longshore-build-${markOf(key)}.invalid`;
      const group = new BuildGroup(groups, `${instance}.${process.pid}.${++count}`, limits);
      const stopWatch = watchSteps(groups, mark, (pid) => group.adopt(pid));
      return {
        ...limits,
        mark,
        ranOutOfMemory: () => group.oomKills() > 0,
        end() {
          stopWatch();
          removeWhenEmpty(group);
        },
      };
    },
  };
}

function usableTree(
  tree: CgroupTree | null,
  instance: string,
  refused: (reason: string) => void,
): CgroupTree | null {
  if (tree === null) {
    refused('this system has no control groups for memory and CPU');
    return null;
  }
  try {
    prepareParent(tree, `${instance}.`);
    return tree;
  } catch (error) {
    refused(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function removeWhenEmpty(group: BuildGroup, tries = 1): void {
  if (group.remove() || tries === removeTriesMax) return; // the next start of the runner tries again
  setTimeout(removeWhenEmpty, removeEveryMs, group, tries + 1).unref();
}
