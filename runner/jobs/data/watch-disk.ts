/**
 * Watches a disk while a database is loaded or dumped. The needed space is only estimated, and the tools in a user's own image may write
 * without limit. A full disk would stop every database of the host.
 */
import { JobFailure } from '../../base/job-failure.ts';
import { call, type DockerHost } from '../../docker/client.ts';
import type { ReadDiskSpace } from '../../docker/disk-space.ts';
import { isDiskFull } from '../../docker/docker-error.ts';
import type { WorkPlace } from '../../engines/archive/archive.ts';
import { EngineError } from '../../engines/engine-error.ts';

/** The work is stopped while the other databases can still write this much. */
const freeBytesMin = 256 * 1024 * 1024;
/** A tool writes some hundred megabytes a second. */
const everyMs = 250;

/**
 * Runs a load, and stops it before the disk is full. A load that fails while the disk is full fails because of that.
 * @param load gets the place with a signal that also aborts when the disk has too little room
 * @throws JobFailure `disk_full` with the numbers; the errors of `load`; DockerError
 */
export async function watchingDisk<Place extends WorkPlace, T>(
  { docker, readDiskSpace }: { docker: DockerHost; readDiskSpace: ReadDiskSpace },
  place: Place,
  load: (place: Place) => Promise<T>,
): Promise<T> {
  const { DockerRootDir } = await call('report where it stores volumes', () => docker.engine.info());
  const watched = { path: DockerRootDir, what: 'load', end: 'Nothing was changed.' };
  return watchingPath({ readDiskSpace }, watched, place, load);
}

/**
 * Runs a dump, and stops it before the disk of the backups is full.
 * @param directory where the dump is written
 * @throws the errors of `watchingDisk`
 */
export function watchingBackups<Place extends WorkPlace, T>(
  parts: { readDiskSpace: ReadDiskSpace },
  directory: string,
  place: Place,
  dump: (place: Place) => Promise<T>,
): Promise<T> {
  const watched = { path: directory, what: 'backup', end: 'The unfinished backup was discarded.' };
  return watchingPath(parts, watched, place, dump);
}

interface Watched {
  path: string;
  /** The stopped work and its result, for the error message. */
  what: string;
  end: string;
}

async function watchingPath<Place extends WorkPlace, T>(
  { readDiskSpace }: { readDiskSpace: ReadDiskSpace },
  watched: Watched,
  place: Place,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const full = new AbortController();
  const look = async () => {
    const space = await readDiskSpace(watched.path);
    if (space && space.freeBytes < freeBytesMin) full.abort(stopped(watched, space.freeBytes));
  };
  await look();
  full.signal.throwIfAborted();
  const timer = setInterval(() => void look().catch(() => {}), everyMs);
  try {
    return await work({ ...place, signal: AbortSignal.any([place.signal, full.signal]) });
  } catch (error) {
    // The disk may have become full between two checks, and the tool only reports that it failed.
    await look();
    full.signal.throwIfAborted();
    if (error instanceof EngineError && isDiskFull(error.message)) throw becameFull(watched, error);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

const stopped = ({ path, what, end }: Watched, freeBytes: number) =>
  new JobFailure(
    'disk_full',
    `The ${what} was stopped before the disk of the host was full: only ${megabytes(freeBytes)} are left at ${path}. Free disk space on the host. ${end}`,
  );

const becameFull = ({ path, what, end }: Watched, cause: EngineError) =>
  new JobFailure(
    'disk_full',
    `The ${what} failed because the disk of the host became full at ${path}: ${cause.message} Free disk space on the host. ${end}`,
    { cause },
  );

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`;
