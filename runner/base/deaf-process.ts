/**
 * Whether the main process of a container takes notice of the signal that stops it. The first process of a container is process 1 of its
 * PID namespace, and the kernel drops signals for it that it neither handles nor blocks (pid_namespaces(7)): a shell without a
 * trap would run until it is killed. A Node program is not recognized: Node handles SIGTERM itself and raises it again, which is dropped then.
 */
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';

/**
 * @param stopSignal as the image names it, such as `SIGQUIT`; Docker's default is SIGTERM
 * @returns false if waiting for its end is useless; true also when that is not known
 */
export async function hearsStop(
  { id, pid, stopSignal = 'SIGTERM' }: { id: string; pid: number; stopSignal?: string | undefined },
  proc = '/proc',
): Promise<boolean> {
  const signal = (constants.signals as Record<string, number>)[stopSignal];
  if (signal === undefined || pid <= 0) return true;
  try {
    // The number of a process of a Docker elsewhere (in a virtual machine) means another process here, or none.
    if (!(await readFile(`${proc}/${pid}/cgroup`, 'utf8')).includes(id)) return true;
    return heardBy(await readFile(`${proc}/${pid}/status`, 'utf8'), signal);
  } catch {
    return true;
  }
}

/** @param status the text of /proc/<pid>/status (proc_pid_status(5)) */
export function heardBy(status: string, signal: number): boolean {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(status)?.[1] ?? '';
  const isFirst = /\s1$/.test(field('NSpid'));
  const has = (name: string) => ((BigInt(`0x${field(name) || '0'}`) >> BigInt(signal - 1)) & 1n) === 1n;
  return !isFirst || has('SigCgt') || has('SigBlk');
}
