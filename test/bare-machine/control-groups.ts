/** Control groups of the bare machine, so that what Docker makes in there lies below a group of its own. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { until } from '../support/runner/until.ts';

/** Makes a group of this name in each hierarchy of the host. @returns their directories */
export async function makeControlGroups(name: string): Promise<string[]> {
  const groups = (await hierarchies()).map((top) => join(top, name));
  for (const group of groups) {
    await mkdir(group, { recursive: true });
    await copyCpuset(group);
  }
  return groups;
}

/** Waits until the processes of the groups have ended, then removes the groups with all below them. */
export async function removeControlGroups(name: string): Promise<void> {
  for (const top of await hierarchies()) {
    const group = join(top, name);
    await until(`the end of all processes in ${group}`, () => removed(group));
  }
}

/** Mount points of control group hierarchies, version 1 and 2. */
async function hierarchies(): Promise<string[]> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8');
  return mounts.split('\n').flatMap((line) => {
    const [mount = '', type = ''] = line.split(' - ');
    const [, , , , mountPoint] = mount.split(' ');
    return /^cgroup2? /.test(type) && mountPoint ? [mountPoint] : [];
  });
}

/** In version 1 a new group has no processors and takes no process. */
async function copyCpuset(group: string): Promise<void> {
  for (const name of ['cpuset.cpus', 'cpuset.mems']) {
    const file = join(group, name);
    const parent = join(dirname(group), name);
    if (existsSync(file) && existsSync(parent)) await writeFile(file, await readFile(parent));
  }
}

/** Removes a tree of groups, deepest first. @returns whether it is gone: a group with a process stays */
async function removed(group: string): Promise<boolean> {
  if (!existsSync(group)) return true;
  const entries = await readdir(group, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory() && !(await removed(join(group, basename(entry.name))))) return false;
  }
  return rmdir(group).then(
    () => true,
    () => false,
  );
}
