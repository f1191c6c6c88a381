/**
 * Finds the processes of a build's steps. BuildKit in Docker 20.10 accepts neither limits nor a parent group for a build: it runs each
 * step in a new group. A step is recognised by a mark in the environment of its first process.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CgroupTree } from './cgroup-tree.ts';

/**
 * Where BuildKit creates a step's group: with cgroupfs; with systemd in BuildKit 0.8, which uses systemd's notation as a name; and with
 * systemd in later versions. The places of containers are not included: an app that carries a mark stays within its own limits.
 */
const places = [
  { parent: 'docker/buildkit', name: /^/ },
  { parent: '', name: /^system\.slice:docker:/ },
  { parent: 'system.slice', name: /^docker-[a-z0-9]{25}\.scope$/ },
];
/** Until a step is found it runs without limits. Events (inotify) would need directories that exist only after a first build. */
const lookEveryMs = 50;
/** The container runtime creates the group and becomes the step's command within this time; after it a group is not checked again. */
const undecidedMs = 10_000;

/**
 * Watches for groups that are created from now on.
 * @param mark text in the environment of a step's first process
 * @param adopt moves a process into the build's group
 * @returns a function that ends the watch
 */
export function watchSteps(tree: CgroupTree, mark: string, adopt: (pid: number) => void): () => void {
  const known = new Set(groupsNow(tree));
  const undecided = new Map<string, number | null>();
  const ours = new Set<string>();
  const look = () => {
    for (const group of groupsNow(tree)) {
      if (known.has(group)) continue;
      known.add(group);
      undecided.set(group, null);
    }
    for (const [group, since] of undecided) {
      const processes = processesOf(group);
      if (processes?.some((pid) => isMarked(pid, mark))) ours.add(group);
      const first = since ?? (processes?.length ? performance.now() : null);
      const isLate = first !== null && performance.now() - first > undecidedMs;
      if (processes === null || ours.has(group) || isLate) undecided.delete(group);
      else undecided.set(group, first);
    }
    // Repeated each time: a child created while its parent was moved is still in the old group.
    for (const group of ours) {
      const processes = processesOf(group);
      if (processes === null) ours.delete(group);
      else processes.forEach(adopt);
    }
  };
  const timer = setInterval(look, lookEveryMs);
  return () => clearInterval(timer);
}

function groupsNow({ memory }: CgroupTree): string[] {
  return places.flatMap(({ parent, name }) => {
    const directory = join(memory, parent);
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      return entries.flatMap((entry) =>
        entry.isDirectory() && name.test(entry.name) ? [join(directory, entry.name)] : [],
      );
    } catch {
      return []; // not created yet, or not on this system
    }
  });
}

/** Null when the group no longer exists. */
function processesOf(group: string): number[] | null {
  try {
    return (readFileSync(join(group, 'cgroup.procs'), 'utf8').match(/\d+/g) ?? []).map(Number);
  } catch {
    return null;
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
  } catch {
    return false; // ended in the meantime
  }
}
