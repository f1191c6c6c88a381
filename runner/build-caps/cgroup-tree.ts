/** Finds the kernel's control groups: cgroups(7), and the kernel's admin-guide/cgroup-v1 and cgroup-v2. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CgroupTree {
  version: 1 | 2;
  /** Root directory of the groups that limit memory; with version 2 it is the same as `cpu`. */
  memory: string;
  cpu: string;
  /** The root of the controller that limits the number of processes; `null` if the kernel has no such controller. */
  pids: string | null;
}

/** @returns null on a system without control groups for both memory and CPU */
export function findCgroupTree(root = '/sys/fs/cgroup'): CgroupTree | null {
  const controllers = join(root, 'cgroup.controllers');
  if (existsSync(controllers)) {
    const hasPids = /\bpids\b/.test(readFileSync(controllers, 'utf8'));
    return { version: 2, memory: root, cpu: root, pids: hasPids ? root : null };
  }
  const memory = join(root, 'memory');
  const pids = join(root, 'pids');
  const cpu = [join(root, 'cpu'), join(root, 'cpu,cpuacct')].find((path) => existsSync(path));
  if (!existsSync(memory) || cpu === undefined) return null;
  return { version: 1, memory, cpu, pids: existsSync(pids) ? pids : null };
}

/** The root directories of all controllers, each once. */
export const rootsOf = ({ memory, cpu, pids }: CgroupTree): string[] => [
  ...new Set([memory, cpu, ...(pids === null ? [] : [pids])]),
];
