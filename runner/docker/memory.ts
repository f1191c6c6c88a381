/** Checks whether there is enough memory for another container. */
import { readFile } from 'node:fs/promises';
import { call, type DockerHost } from './client.ts';

/** Memory in bytes that a new program can use without swapping. @returns `undefined` if it can't be determined */
export type ReadFreeMemory = () => Promise<number | undefined>;

/** `MemAvailable`: https://www.kernel.org/doc/html/latest/filesystems/proc.html#meminfo */
export const readFreeMemory: ReadFreeMemory = async () => {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
};

/** Bytes that a container uses and the kernel can't reclaim; 0 if it does not run. @throws DockerError */
export async function usedMemory(host: DockerHost, id: string): Promise<number> {
  const { memory_stats: memory } = await call('measure the container', () =>
    host.engine.getContainer(id).stats({ stream: false, 'one-shot': true }),
  );
  // The calculation of `docker stats`: https://docs.docker.com/reference/cli/docker/container/stats/#description
  const { usage = 0, stats } = memory;
  return Math.max(0, usage - (stats?.inactive_file ?? stats?.total_inactive_file ?? 0));
}
