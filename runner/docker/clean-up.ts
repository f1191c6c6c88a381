/** Frees disk space: removes unnamed images of this instance, and build cache above a limit. */
import { z } from 'zod';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost } from './client.ts';
import { readDiskSpace } from './disk-space.ts';

export interface CleanUpLimits {
  /** Limit for the build cache; the least recently used parts are removed first. */
  buildCacheBytes: number;
  /** Younger images without a name are kept: a build may be about to give them one. */
  untaggedAgeSeconds: number;
}

/** Deleting gigabytes takes the daemon a while. */
const pruneTimeoutMs = 10 * 60_000;
const cacheBytesMax = 10 ** 10;
const cacheDiskShare = 0.2;
const untaggedAgeSeconds = 600;

const prunedSchema = z.object({ SpaceReclaimed: z.number().nullish() });

/** @param buildCacheMb RunnerConfig.buildCacheMb; `null` means 10 GB, or a fifth of a disk below 50 GB @throws DockerError */
export async function cleanUpLimits(host: DockerHost, buildCacheMb: number | null): Promise<CleanUpLimits> {
  if (buildCacheMb !== null) return { buildCacheBytes: buildCacheMb * 1e6, untaggedAgeSeconds };
  const { DockerRootDir } = await call('report where it stores images', () => host.engine.info());
  const space = await readDiskSpace(DockerRootDir);
  const share = space ? space.totalBytes * cacheDiskShare : cacheBytesMax;
  return { buildCacheBytes: Math.floor(Math.min(cacheBytesMax, share)), untaggedAgeSeconds };
}

/**
 * Never removes an image that has a name, is used by a container, or belongs to another instance: images that a rollback may need have
 * names, and the control plane decides which of them are too old (finish-deployment.ts). The build cache has no owner: instances on the
 * same daemon share it.
 * @returns number of freed bytes
 * @throws DockerError
 */
export async function cleanUp(host: DockerHost, limits: CleanUpLimits): Promise<number> {
  const untagged = await prune(host, '/images/prune', {
    filters: JSON.stringify({
      dangling: ['true'],
      label: [`${labels.instance}=${host.instance}`],
      until: [`${limits.untaggedAgeSeconds}s`],
    }),
  });
  return untagged + (await prune(host, '/build/prune', { 'keep-storage': String(limits.buildCacheBytes) }));
}

/** dockerode's own call for the build cache drops the options and would remove all of it. */
async function prune(host: DockerHost, path: string, query: Record<string, string>): Promise<number> {
  const { modem } = host.engine;
  const run = (abortSignal: AbortSignal) =>
    new Promise((resolve, reject) => {
      const options = {
        path: `${path}?`, // the client appends the query
        method: 'POST',
        options: query,
        abortSignal,
        statusCodes: { 200: true, 500: 'server error' },
      };
      modem.dial(options, (error: unknown, data: unknown) => (error ? reject(error) : resolve(data)));
    });
  const answer = await call('free disk space', run, { timeoutMs: pruneTimeoutMs });
  return prunedSchema.parse(answer).SpaceReclaimed ?? 0;
}
