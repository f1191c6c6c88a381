/** The limit of open files that Docker on this machine can give a container. */
import { readdir, readFile } from 'node:fs/promises';

/** Bit of CAP_SYS_RESOURCE in a capability set (Linux, include/uapi/linux/capability.h): a process with it may raise hard limits. */
const sysResource = 1n << 24n;

/**
 * A process without CAP_SYS_RESOURCE can't raise its hard limits, so a container whose limit is above that of its Docker daemon does not
 * start ("error setting rlimits"). An example is a Docker that runs in a container itself.
 * @returns the lowest such limit of the daemons on this machine; Infinity if they can set any limit, or none is found
 */
export async function openFilesCeiling(): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const ceilings = await Promise.all(ids.map(ceilingOfDaemon));
  return Math.min(...ceilings);
}

async function ceilingOfDaemon(id: string): Promise<number> {
  try {
    const name = await readFile(`/proc/${id}/comm`, 'utf8');
    if (name !== 'dockerd\n' && name !== 'containerd\n') return Number.POSITIVE_INFINITY;
    const [limits, status] = await Promise.all([
      readFile(`/proc/${id}/limits`, 'utf8'),
      readFile(`/proc/${id}/status`, 'utf8'),
    ]);
    return ceilingOf(limits, status);
  } catch {
    return Number.POSITIVE_INFINITY; // the process has ended, or belongs to another user
  }
}

/**
 * @param limits text of /proc/PID/limits
 * @param status text of /proc/PID/status
 * @returns the hard limit of open files; Infinity if the process may raise it
 */
export function ceilingOf(limits: string, status: string): number {
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  if ((BigInt(`0x${capabilities}`) & sysResource) !== 0n) return Number.POSITIVE_INFINITY;
  const hard = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}
