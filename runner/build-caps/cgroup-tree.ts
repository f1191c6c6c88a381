/** Finds the kernel's control groups: cgroups(7), and the kernel's admin-guide/cgroup-v1 and cgroup-v2. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface CgroupTree {
  version: 1 | 2;
  /** Root directory of the groups that limit memory; with version 2 it is the same as `cpu`. */
  memory: string;
  cpu: string;
}

/** @returns null on a system without control groups for both memory and CPU */
export function findCgroupTree(root = '/sys/fs/cgroup'): CgroupTree | null {
  if (existsSync(join(root, 'cgroup.controllers'))) return { version: 2, memory: root, cpu: root };
  const memory = join(root, 'memory');
  const cpu = [join(root, 'cpu'), join(root, 'cpu,cpuacct')].find((path) => existsSync(path));
  return existsSync(memory) && cpu !== undefined ? { version: 1, memory, cpu } : null;
}
