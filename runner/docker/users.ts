/** Looks up users of an image or a container without running anything. */
import type { DockerHost } from './client.ts';
import { fileOf, readContainerFile } from './container-files.ts';
import { copyFromImage } from './image-files.ts';

const passwd = '/etc/passwd';

export interface FileOwner {
  uid: number;
  gid: number;
}

/**
 * @param labels of the temporary container that the file is read from
 * @returns undefined when the image has no such user
 * @throws DockerError; JobFailure `build_failed` for an image without users
 */
export async function imageUser(
  host: DockerHost,
  image: { image: string; labels: Record<string, string> },
  name: string,
  signal: AbortSignal,
): Promise<FileOwner | undefined> {
  let users = '';
  const read = async (files: NodeJS.ReadableStream) => {
    users = await fileOf(files);
  };
  await copyFromImage(host, { ...image, path: passwd }, read, signal);
  return userIn(users, name);
}

/** Like `imageUser`, for a container, running or not. @throws DockerError */
export async function containerUser(
  host: DockerHost,
  id: string,
  name: string,
): Promise<FileOwner | undefined> {
  return userIn((await readContainerFile(host, id, passwd)) ?? '', name);
}

/** passwd(5): `name:password:uid:gid:...` */
function userIn(users: string, name: string): FileOwner | undefined {
  const line = users.split('\n').find((one) => one.startsWith(`${name}:`));
  const [uid, gid] = (line?.split(':') ?? []).slice(2, 4).map(Number);
  if (uid === undefined || gid === undefined) return undefined;
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
