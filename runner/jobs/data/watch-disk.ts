/**
 * Watches the disk of Docker's volumes while a database is loaded. How much a load takes is only estimated, and for another server's data
 * not even that. A full disk would stop every database of the host.
 */
import { JobFailure } from '../../base/job-failure.ts';
import { call, type DockerHost } from '../../docker/client.ts';
import type { ReadDiskSpace } from '../../docker/disk-space.ts';
import type { DataPlace } from '../../engines/archive/archive.ts';

/** A load is stopped while the other databases can still write this much. */
const freeBytesMin = 256 * 1024 * 1024;
const everyMs = 2_000;

/**
 * Runs a load, and stops it before the disk is full.
 * @param load is given the place with a signal that also aborts when the disk has too little room
 * @throws JobFailure `disk_full` with the numbers; what `load` throws; DockerError
 */
export async function watchingDisk<T>(
  { docker, readDiskSpace }: { docker: DockerHost; readDiskSpace: ReadDiskSpace },
  place: DataPlace,
  load: (place: DataPlace) => Promise<T>,
): Promise<T> {
  const { DockerRootDir } = await call('report where it stores volumes', () => docker.engine.info());
  const full = new AbortController();
  const look = async () => {
    const space = await readDiskSpace(DockerRootDir);
    if (space && space.freeBytes < freeBytesMin) full.abort(stopped(DockerRootDir, space.freeBytes));
  };
  await look();
  full.signal.throwIfAborted();
  const timer = setInterval(() => void look().catch(() => {}), everyMs);
  try {
    return await load({ ...place, signal: AbortSignal.any([place.signal, full.signal]) });
  } catch (error) {
    full.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

const stopped = (path: string, freeBytes: number) =>
  new JobFailure(
    'disk_full',
    `The load was stopped before the disk of the host was full: only ${megabytes(freeBytes)} are left at ${path}. Free disk space on the host. Nothing was changed.`,
  );

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`;
