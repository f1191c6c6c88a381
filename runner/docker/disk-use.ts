/** Measures the disk space of containers with `du` at the lowest priority. Docker's own measurement reads all containers in one call. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from './client.ts';

/** A running container whose disk use is limited, and where it writes. */
export interface LimitedContainer {
  id: string;
  name: string;
  serviceId: string;
  limitMb: number;
}

/** Directories on the host. */
export interface WrittenPlaces {
  /** The container's own layer, and volumes that its image declares. */
  writable: string[];
  /** The volume with a database's data. */
  data: string[];
}

const graphSchema = z.object({ UpperDir: z.string() });

/** Running containers of this instance that were created with a disk limit. One call. @throws DockerError */
export async function limitedContainers(host: DockerHost): Promise<LimitedContainer[]> {
  const found = await call('list the containers', (abortSignal) =>
    host.engine.listContainers({ filters: { ...ownedBy(host), status: ['running'] }, abortSignal }),
  );
  return found.flatMap(({ Id, Names, Labels }) => {
    const limitMb = Number(Labels[labels.diskLimit]);
    const serviceId = Labels[labels.service] ?? '';
    return limitMb > 0 ? [{ id: Id, name: Names[0]?.slice(1) ?? '', serviceId, limitMb }] : [];
  });
}

/** @returns undefined with a storage driver other than overlay2 @throws DockerError */
export async function writtenPlaces(host: DockerHost, id: string): Promise<WrittenPlaces | undefined> {
  const { GraphDriver, Mounts, HostConfig } = await call('inspect the container', () =>
    host.engine.getContainer(id).inspect(),
  );
  const graph = graphSchema.safeParse(GraphDriver.Data);
  if (!graph.success) return undefined;
  const named = new Set((HostConfig.Mounts ?? []).map(({ Source }) => Source));
  const volumes = Mounts.filter(({ Type }) => Type === 'volume');
  const sourcesOf = (isData: boolean) =>
    volumes.filter(({ Name }) => named.has(Name ?? '') === isData).map(({ Source }) => Source);
  return { writable: [graph.data.UpperDir, ...sourcesOf(false)], data: sourcesOf(true) };
}

/** A measurement that takes longer is stopped. */
const measureTimeoutMs = 120_000;
const lowestPriority = '19';

/**
 * The disk space of these directories in bytes. Hard links count once; other file systems mounted below them do not count.
 * @returns 'too long' if there are too many files to count in time
 * @throws Error if they can't be read, as without root
 */
export async function measureBytes(
  directories: readonly string[],
  timeoutMs = measureTimeoutMs,
): Promise<number | 'too long'> {
  if (directories.length === 0) return 0;
  const argv = ['-n', lowestPriority, 'du', '-s', '-x', '-B1', '--', ...directories];
  try {
    const { stdout } = await promisify(execFile)('nice', argv, { timeout: timeoutMs, killSignal: 'SIGKILL' });
    return sumOf(stdout);
  } catch (error) {
    const { killed, stdout = '' } = error as { killed?: boolean; stdout?: string };
    if (killed) return 'too long';
    // `du` also fails if a file is deleted while it counts, but still prints the totals.
    if (stdout.trimEnd().split('\n').length === directories.length && stdout !== '') return sumOf(stdout);
    throw error;
  }
}

const sumOf = (output: string) =>
  [...output.matchAll(/^(\d+)\t/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
