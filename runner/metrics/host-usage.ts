/** The resource use of the whole host: proc_stat(5), proc_meminfo(5), and the kernel's admin-guide/iostats. A system without /proc has none of it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readDiskSpace } from '../docker/disk-space.ts';
import { numberAfter, readText } from './kernel-text.ts';
import { networkBytes } from './process-network.ts';

export interface HostUsage {
  /** Seconds of processors that were neither idle nor taken by other machines, since the boot. */
  cpuSeconds?: number | undefined;
  cpuLimit?: number | undefined;
  memory?: number | undefined;
  memoryLimit?: number | undefined;
  received?: number | undefined;
  sent?: number | undefined;
  diskRead?: number | undefined;
  diskWrite?: number | undefined;
  diskUsed?: number | undefined;
  diskLimit?: number | undefined;
}

/** USER_HZ, which programs see as the same number on all platforms of Linux. */
const ticksPerSecond = 100;
const sectorBytes = 512;
/** Interfaces of containers and of bridges: their traffic is also counted elsewhere, or stays on the host. */
const isInner = /^(veth|br-|docker|virbr|cni|flannel|lxc|tap|dummy)/;
/** Devices that represent other devices. */
const isStandIn = /^(loop|ram|zram|dm-|md|sr|fd)/;

/** @param directory on the disk whose space counts */
export async function readHostUsage(directory: string, proc = '/proc', sys = '/sys'): Promise<HostUsage> {
  const [, totals = ''] = /^cpu +(.*)$/m.exec(readText(join(proc, 'stat')) ?? '') ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = totals.split(' ').map(Number);
  const memory = readText(join(proc, 'meminfo'));
  const kilobytes = (name: string) => numberAfter(memory?.replaceAll(':', ' '), name);
  const [total, available] = [kilobytes('MemTotal'), kilobytes('MemAvailable')];
  const network = networkBytes(join(proc, 'self'), (name) => !isInner.test(name));
  const space = await readDiskSpace(directory);
  return {
    ...(totals === '' ? {} : { cpuSeconds: (user + nice + system + irq + softIrq) / ticksPerSecond }),
    cpuLimit: readText(join(proc, 'stat'))?.match(/^cpu\d+ /gm)?.length,
    memory: total === undefined || available === undefined ? undefined : (total - available) * 1024,
    memoryLimit: total === undefined ? undefined : total * 1024,
    ...network,
    ...diskBytes(readText(join(proc, 'diskstats')), join(sys, 'block')),
    diskUsed: space && space.totalBytes - space.freeBytes,
    diskLimit: space?.totalBytes,
  };
}

function diskBytes(text: string | undefined, blocks: string): Pick<HostUsage, 'diskRead' | 'diskWrite'> {
  if (text === undefined) return {};
  const disks = new Set(wholeDisks(blocks));
  const sum = { diskRead: 0, diskWrite: 0 };
  for (const line of text.split('\n')) {
    const [, , name = '', , , read = 0, , , , written = 0] = line.trim().split(/\s+/);
    if (!disks.has(name)) continue;
    sum.diskRead += Number(read) * sectorBytes;
    sum.diskWrite += Number(written) * sectorBytes;
  }
  return sum;
}

/** The whole disks, without partitions. */
function wholeDisks(blocks: string): string[] {
  try {
    return readdirSync(blocks).filter((name) => !isStandIn.test(name));
  } catch {
    return [];
  }
}
