/**
 * The resource use of a container's processes, from the files of its control group: a few reads of kernel memory in place of a call to
 * Docker, which takes a second for its own statistics. Files of version 2: the kernel's admin-guide/cgroup-v2; of version 1:
 * admin-guide/cgroup-v1.
 */
import { join } from 'node:path';
import { numberAfter, readNumber, readText } from './kernel-text.ts';

/** Counters since the start of the container, except memory and limits. `undefined` if this kernel does not report the value. */
export interface GroupUsage {
  /** Processor time in seconds. */
  cpuSeconds?: number | undefined;
  /** Bytes, without the part of the page cache that the kernel frees first. */
  memory?: number | undefined;
  /** Bytes; `undefined` without a limit. */
  memoryLimit?: number | undefined;
  /** Processors; `undefined` without a limit. */
  cpuLimit?: number | undefined;
  diskRead?: number | undefined;
  diskWrite?: number | undefined;
  /** Processes that were killed because memory ran out. */
  outOfMemory?: number | undefined;
  /** The first process of the group. */
  pid?: number | undefined;
}

export type ReadGroup = () => GroupUsage;

/**
 * The number of measurements between two reads of the limits, five minutes: a deployment creates a new group, so they change only by hand,
 * and they are a quarter of all reads.
 */
const limitsEvery = 30;

type Limits = Pick<GroupUsage, 'memoryLimit' | 'cpuLimit'>;

/** The value from which a limit of version 1 means none: the largest multiple of the page size. */
const noLimitBytes = 2 ** 60;

/**
 * Finds the groups of a process, by /proc/<pid>/cgroup (cgroups(7)).
 * @returns `undefined` if the process has ended, or the system has no control groups (Docker runs in a virtual machine on macOS)
 */
export function findGroup(pid: number, root = '/sys/fs/cgroup', proc = '/proc'): ReadGroup | undefined {
  const lines = (readText(join(proc, String(pid), 'cgroup')) ?? '')
    .split('\n')
    .map((line) => line.split(':'));
  const pathOf = (controller: string) =>
    lines
      .find(([, controllers = '']) => controllers.split(',').includes(controller))
      ?.slice(2)
      .join(':');
  const [memory, cpuacct, cpu, blkio] = ['memory', 'cpuacct', 'cpu', 'blkio'].map(pathOf);
  const unified = lines
    .find(([number, controllers]) => number === '0' && controllers === '')
    ?.slice(2)
    .join(':');
  if (memory !== undefined && cpuacct !== undefined) {
    const at = (controller: string, path = memory) => join(root, controller, path);
    const directories = {
      memory: at('memory'),
      cpuacct: at('cpuacct', cpuacct),
      cpu: at('cpu', cpu),
      blkio: at('blkio', blkio),
    };
    const limits = readSometimes(() => limitsOfVersion1(directories));
    return () => ({ ...readVersion1(directories), ...limits() });
  }
  if (unified === undefined) return undefined;
  const directory = join(root, unified);
  if (readText(join(directory, 'cgroup.procs')) === undefined) return undefined;
  const limits = readSometimes(() => limitsOfVersion2(directory));
  return () => ({ ...readVersion2(directory), ...limits() });
}

function readSometimes(read: () => Limits): () => Limits {
  let limits: Limits = {};
  let calls = 0;
  return () => {
    if (calls++ % limitsEvery === 0) limits = read();
    return limits;
  };
}

function limitsOfVersion2(directory: string): Limits {
  const [quota = 'max', period = ''] = (readText(join(directory, 'cpu.max')) ?? '').trim().split(' ');
  return {
    memoryLimit: readNumber(join(directory, 'memory.max')),
    cpuLimit: quota === 'max' || quota === '' ? undefined : Number(quota) / Number(period),
  };
}

function limitsOfVersion1({ memory, cpu }: Record<'memory' | 'cpu', string>): Limits {
  const limit = readNumber(join(memory, 'memory.limit_in_bytes'));
  const quota = readNumber(join(cpu, 'cpu.cfs_quota_us'));
  return {
    memoryLimit: limit === undefined || limit >= noLimitBytes ? undefined : limit,
    cpuLimit:
      quota === undefined ? undefined : quota / (readNumber(join(cpu, 'cpu.cfs_period_us')) ?? 100_000),
  };
}

function readVersion2(directory: string): GroupUsage {
  const read = (file: string) => readText(join(directory, file));
  const cpuMicroseconds = numberAfter(read('cpu.stat'), 'usage_usec');
  const used = readNumber(join(directory, 'memory.current'));
  const io = read('io.stat');
  return {
    cpuSeconds: cpuMicroseconds === undefined ? undefined : cpuMicroseconds / 1e6,
    memory: withoutCache(used, numberAfter(read('memory.stat'), 'inactive_file')),
    diskRead: io === undefined ? undefined : sumOf(io, /\brbytes=(\d+)/g),
    diskWrite: io === undefined ? undefined : sumOf(io, /\bwbytes=(\d+)/g),
    outOfMemory: numberAfter(read('memory.events'), 'oom_kill'),
    pid: firstProcess(read('cgroup.procs')),
  };
}

function readVersion1({
  memory,
  cpuacct,
  blkio,
}: Record<'memory' | 'cpuacct' | 'blkio', string>): GroupUsage {
  const nanoseconds = readNumber(join(cpuacct, 'cpuacct.usage'));
  const io = readText(join(blkio, 'blkio.throttle.io_service_bytes_recursive'));
  const used = readNumber(join(memory, 'memory.usage_in_bytes'));
  return {
    cpuSeconds: nanoseconds === undefined ? undefined : nanoseconds / 1e9,
    memory: withoutCache(used, numberAfter(readText(join(memory, 'memory.stat')), 'total_inactive_file')),
    diskRead: io === undefined ? undefined : sumOf(io, /^\d+:\d+ Read (\d+)$/gm),
    diskWrite: io === undefined ? undefined : sumOf(io, /^\d+:\d+ Write (\d+)$/gm),
    outOfMemory: numberAfter(readText(join(memory, 'memory.oom_control')), 'oom_kill'),
    pid: firstProcess(readText(join(memory, 'cgroup.procs'))),
  };
}

const withoutCache = (used: number | undefined, cache = 0) =>
  used === undefined ? undefined : Math.max(0, used - cache);

const firstProcess = (text: string | undefined) => Number.parseInt(text ?? '', 10) || undefined;

const sumOf = (text: string, amount: RegExp) =>
  [...text.matchAll(amount)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
