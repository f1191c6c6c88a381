/** Writes limits into a control group. Writes are synchronous: the files are kernel memory, not a disk. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CgroupTree, rootsOf } from './cgroup-tree.ts';

export interface GroupLimits {
  /** The memory limit in units of 2^20 bytes, like a service's `memoryLimitMb`. */
  memoryMb: number;
  /** The limit in processors; 1.5 is one and a half. */
  cpus: number;
  /** Processes and threads together. */
  processes: number;
}

const periodMicroseconds = 100_000;

/**
 * Skips limits that are absent, and files that this kernel does not have (no swap accounting, or an older kernel).
 * @param group path below the root of each controller
 * @throws Error EBUSY (version 1) when the group's processes hold more memory than the new limit
 */
export function limitGroup(tree: CgroupTree, group: string, limits: Partial<GroupLimits>): void {
  const settings = tree.version === 1 ? settingsOfVersion1(limits) : settingsOfVersion2(limits);
  for (const [file, value] of settings) {
    const path = rootsOf(tree)
      .map((root) => join(root, group, file))
      .find((one) => existsSync(one));
    if (path !== undefined) writeFileSync(path, value);
  }
}

const bytesOf = (memoryMb: number) => String(Math.floor(memoryMb * 2 ** 20));
const quotaOf = (cpus: number) => String(Math.max(1_000, Math.round(cpus * periodMicroseconds)));

/** The number of processes first: only this setting cannot fail. */
function settingsOfVersion1({ memoryMb, cpus, processes }: Partial<GroupLimits>): [string, string][] {
  return [
    ...given(processes, (value): [string, string][] => [['pids.max', String(value)]]),
    ...given(cpus, (value): [string, string][] => [
      ['cpu.cfs_period_us', String(periodMicroseconds)],
      ['cpu.cfs_quota_us', quotaOf(value)],
    ]),
    ...given(memoryMb, (value): [string, string][] => [
      ['memory.limit_in_bytes', bytesOf(value)],
      ['memory.memsw.limit_in_bytes', bytesOf(value)], // no swap in addition
    ]),
  ];
}

function settingsOfVersion2({ memoryMb, cpus, processes }: Partial<GroupLimits>): [string, string][] {
  return [
    ...given(processes, (value): [string, string][] => [['pids.max', String(value)]]),
    ...given(cpus, (value): [string, string][] => [['cpu.max', `${quotaOf(value)} ${periodMicroseconds}`]]),
    ...given(memoryMb, (value): [string, string][] => [
      ['memory.max', bytesOf(value)],
      ['memory.swap.max', '0'],
    ]),
  ];
}

const given = (value: number | undefined, settings: (value: number) => [string, string][]) =>
  value === undefined ? [] : settings(value);
