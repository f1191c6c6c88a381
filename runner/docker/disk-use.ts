/** Measures the disk space of containers with `du` at the lowest priority. Docker's own measurement reads all containers in one call. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from './client.ts';

/** A running container whose disk use is limited or reported. */
export interface WatchedContainer {
  id: string;
  name: string;
  serviceId: string;
  /** The limit of data that the container may write outside volumes; `null` without a limit. */
  limitMb: number | null;
  /** Volumes of a service that is no database. */
  volumes: readonly WatchedVolume[];
}

const watchedVolumeSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The limit in units of 2^20 bytes; `null` without a limit. */
  sizeMb: z.number().nullable(),
  /** The volume's name in Docker. */
  source: z.string(),
});
export type WatchedVolume = z.infer<typeof watchedVolumeSchema>;

/** Directories on the host. */
export interface WrittenPlaces {
  /** The container's own layer, and volumes that its image declares. */
  writable: string[];
  /** The named volumes: a database's data, or those of another service. */
  data: { volume: string; directory: string }[];
}

const graphSchema = z.object({ UpperDir: z.string() });

/** Running containers of this instance that are databases, or were created with a disk limit or volumes. One call. @throws DockerError */
export async function watchedContainers(host: DockerHost): Promise<WatchedContainer[]> {
  const found = await call('list the containers', (abortSignal) =>
    host.engine.listContainers({ filters: { ...ownedBy(host), status: ['running'] }, abortSignal }),
  );
  return found.flatMap(({ Id, Names, Labels }) => {
    const limitMb = Number(Labels[labels.diskLimit]) || null;
    const volumes = volumesIn(Labels[labels.volumes]);
    const serviceId = Labels[labels.service] ?? '';
    const name = Names[0]?.slice(1) ?? '';
    const isDatabase = Boolean(Labels[labels.port]);
    return isDatabase || limitMb !== null || volumes.length > 0
      ? [{ id: Id, name, serviceId, limitMb, volumes }]
      : [];
  });
}

const volumesIn = (label: string | undefined): WatchedVolume[] =>
  label ? z.array(watchedVolumeSchema).parse(JSON.parse(label)) : [];

/** @returns undefined with a storage driver other than overlay2 @throws DockerError */
export async function writtenPlaces(host: DockerHost, id: string): Promise<WrittenPlaces | undefined> {
  const { GraphDriver, Mounts, HostConfig } = await call('inspect the container', () =>
    host.engine.getContainer(id).inspect(),
  );
  const graph = graphSchema.safeParse(GraphDriver.Data);
  if (!graph.success) return undefined;
  const named = new Set((HostConfig.Mounts ?? []).map(({ Source }) => Source));
  const volumes = Mounts.filter(({ Type }) => Type === 'volume');
  const [data, own] = [true, false].map((isData) =>
    volumes.filter(({ Name }) => named.has(Name ?? '') === isData),
  );
  return {
    writable: [graph.data.UpperDir, ...(own ?? []).map(({ Source }) => Source)],
    data: (data ?? []).map(({ Name = '', Source }) => ({ volume: Name, directory: Source })),
  };
}

const lowestPriority = '19';

/**
 * The disk space of these directories in bytes. Hard links count once; other file systems mounted below them do not count.
 * @param timeoutMs a measurement that takes longer is stopped
 * @returns 'too long' if the files can't be counted in time
 * @throws Error if the files can't be read, as without root
 */
export async function measureBytes(
  directories: readonly string[],
  timeoutMs: number,
): Promise<number | 'too long'> {
  if (directories.length === 0) return 0;
  const argv = ['-n', lowestPriority, 'du', '-s', '-x', '-B1', '--', ...directories];
  try {
    const { stdout } = await promisify(execFile)('nice', argv, { timeout: timeoutMs, killSignal: 'SIGKILL' });
    return sumOf(stdout);
  } catch (error) {
    const { killed, stdout = '' } = error as { killed?: boolean; stdout?: string };
    if (killed) return 'too long';
    // `du` also fails if a file is deleted during the count, but still prints the totals.
    if (stdout.trimEnd().split('\n').length === directories.length && stdout !== '') return sumOf(stdout);
    throw error;
  }
}

/** Units of 2^20 bytes, rounded up. */
export const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);

const sumOf = (output: string) =>
  [...output.matchAll(/^(\d+)\t/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
