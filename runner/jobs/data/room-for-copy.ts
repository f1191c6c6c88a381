/** Checks whether the host has room for a second copy of a database before a restore or a drill starts to write it. */

import { JobFailure } from '../../base/job-failure.ts';
import { call, type DockerHost } from '../../docker/client.ts';
import type { ContainerFacts } from '../../docker/containers.ts';
import type { ReadDiskSpace } from '../../docker/disk-space.ts';
import { type ReadFreeMemory, usedMemory } from '../../docker/memory.ts';
import type { Engine } from '../../engines/engine.ts';

/** The ratio of loaded data, with its indexes, to the size of a compressed backup. */
const roomFactor = 5;
/** The size of the engine's own files, without any data. */
const roomBytesMin = 256 * 1024 * 1024;

/**
 * Checks the disk that holds Docker's volumes.
 * @param backupBytes size of the backup's file
 * @param engine that will load it
 * @throws JobFailure `disk_full` with the numbers; DockerError
 */
export async function refuseTooLittleDisk(
  { docker, readDiskSpace }: { docker: DockerHost; readDiskSpace: ReadDiskSpace },
  backupBytes: number,
  { loadLogBytesMax = 0 }: Pick<Engine, 'loadLogBytesMax'>,
): Promise<void> {
  const { DockerRootDir } = await call('report where it stores volumes', () => docker.engine.info());
  const space = await readDiskSpace(DockerRootDir);
  const dataBytes = backupBytes * roomFactor;
  const needed = Math.max(roomBytesMin, dataBytes) + Math.min(loadLogBytesMax, dataBytes);
  if (!space || space.freeBytes >= needed) return;
  throw new JobFailure(
    'disk_full',
    `Loading this backup needs about ${megabytes(needed)} of disk space, but only ${megabytes(space.freeBytes)} are free at ${DockerRootDir}: free disk space on the host. Nothing was changed.`,
  );
}

/** The file system's overhead for each file. */
const entryBytes = 4_096;

/**
 * Checks the disk that holds Docker's volumes, before files of a known size are unpacked there.
 * @throws JobFailure `disk_full` with the numbers; DockerError
 */
export async function refuseTooLittleRoom(
  { docker, readDiskSpace }: { docker: DockerHost; readDiskSpace: ReadDiskSpace },
  { bytes, rows }: { bytes: number; rows: number },
): Promise<void> {
  const { DockerRootDir } = await call('report where it stores volumes', () => docker.engine.info());
  const space = await readDiskSpace(DockerRootDir);
  const needed = roomBytesMin + bytes + rows * entryBytes;
  if (!space || space.freeBytes >= needed) return;
  throw new JobFailure(
    'disk_full',
    `Unpacking this backup needs about ${megabytes(needed)} of disk space, but only ${megabytes(space.freeBytes)} are free at ${DockerRootDir}: free disk space on the host. Nothing was changed.`,
  );
}

/**
 * A second engine may use as much memory as the first one: its limit, or its current use if it has no limit.
 * @throws JobFailure `drill_skipped` with the numbers; DockerError
 */
export async function refuseTooLittleMemory(
  { docker, readFreeMemory }: { docker: DockerHost; readFreeMemory: ReadFreeMemory },
  { id, memoryLimitMb }: Pick<ContainerFacts, 'id' | 'memoryLimitMb'>,
): Promise<void> {
  const needed = memoryLimitMb === null ? await usedMemory(docker, id) : memoryLimitMb * 2 ** 20;
  const free = await readFreeMemory();
  if (free === undefined || free >= needed) return;
  throw new JobFailure(
    'drill_skipped',
    `A drill starts a temporary database with the memory limit of the service, ${megabytes(needed)}, but only ${megabytes(free)} are free on the host. The drill was not started.`,
  );
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`;
