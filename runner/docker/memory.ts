/** Whether there is memory for another container. */
import { readFile } from 'node:fs/promises';
import { call, type DockerHost } from './client.ts';

/** Bytes that a program may take on this host without anything else being put out. @returns undefined where it is not to be known */
export type ReadFreeMemory = () => Promise<number | undefined>;

/** `MemAvailable`: https://www.kernel.org/doc/html/latest/filesystems/proc.html#meminfo */
export const readFreeMemory: ReadFreeMemory = async () => {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
};

/** Bytes that a container holds and the kernel can't take back; 0 when it does not run. @throws DockerError */
export async function usedMemory(host: DockerHost, id: string): Promise<number> {
  const { memory_stats: memory } = await call('measure the container', () =>
    host.engine.getContainer(id).stats({ stream: false, 'one-shot': true }),
  );
  // As `docker stats` counts: https://docs.docker.com/reference/cli/docker/container/stats/#description
  const { usage = 0, stats } = memory;
  return Math.max(0, usage - (stats?.inactive_file ?? stats?.total_inactive_file ?? 0));
}
