/** Checks for enough disk space before a build. If the disk fills up during a build, the host's databases and logs fail, too. */
import { statfs } from 'node:fs/promises';
import { call, type DockerHost } from './client.ts';
import { tooLittleDisk } from './docker-error.ts';

export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Reads the space of the file system that contains a path. @returns `undefined` if it can't be determined, such as for a remote daemon */
export type ReadDiskSpace = (path: string) => Promise<DiskSpace | undefined>;

/** Enough for a typical image with its build cache; on large disks a share, because ext4 slows down and databases grow. */
const minimumFreeBytes = 10 ** 9;
const minimumFreeShare = 0.05;

/**
 * Refuses a build or a pull on a nearly full host, before anything is written.
 * @param dataDirectory the runner's data directory, which contains checkouts and releases
 * @throws DockerError `disk_full` with the numbers
 */
export async function refuseFullDisk(
  host: DockerHost,
  dataDirectory: string,
  read: ReadDiskSpace,
): Promise<void> {
  const { DockerRootDir } = await call('report where it stores images', () => host.engine.info());
  await refuseFullDirectories([DockerRootDir, dataDirectory], read);
}

/** @throws DockerError `disk_full` with the numbers */
export async function refuseFullDirectories(paths: readonly string[], read: ReadDiskSpace): Promise<void> {
  for (const path of paths) {
    const space = await read(path);
    if (space && space.freeBytes < neededBytes(space)) throw tooLittleDisk(sentence(path, space));
  }
}

/** Free space that a build requires before it starts. */
export const neededBytes = ({ totalBytes }: DiskSpace) =>
  Math.max(minimumFreeBytes, totalBytes * minimumFreeShare);

const sentence = (path: string, space: DiskSpace) =>
  `There is too little disk space left: ${megabytes(space.freeBytes)} of ${megabytes(space.totalBytes)} are free at ${path}, ` +
  `and a deployment needs ${megabytes(neededBytes(space))}. Remove unused images or free up space, then deploy again.`;

const megabytes = (bytes: number) => `${Math.floor(bytes / 1e6).toLocaleString('en-GB')} MB`;

/** @returns a function that reads the free bytes in Docker's container storage; `undefined` if they can't be determined */
export function readFreeBytes(host: DockerHost): () => Promise<number | undefined> {
  let root: string | undefined;
  return async () => {
    root ??= await call('report where it stores images', () => host.engine.info()).then(
      ({ DockerRootDir }) => String(DockerRootDir),
      () => undefined,
    );
    return root === undefined ? undefined : (await readDiskSpace(root))?.freeBytes;
  };
}

export const readDiskSpace: ReadDiskSpace = async (path) => {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
};
