/** Looks up users of an image or a container without running anything. */
import { addAbortSignal, type Readable } from 'node:stream';
import { call, type DockerHost } from './client.ts';
import { fileOf, readContainerFile } from './container-files.ts';
import { copyFromImage } from './image-files.ts';

const passwd = '/etc/passwd';

export interface FileOwner {
  uid: number;
  gid: number;
}

/**
 * @param labels of the temporary container from which the file is read
 * @returns `undefined` if the image has no such user
 * @throws DockerError; JobFailure `build_failed` for an image without users
 */
export async function imageUser(
  host: DockerHost,
  image: { image: string; labels: Record<string, string> },
  name: string,
  signal: AbortSignal,
): Promise<FileOwner | undefined> {
  let users = '';
  const read = async (files: Readable) => {
    const limited = (abortSignal: AbortSignal) => fileOf(addAbortSignal(abortSignal, files));
    users = await call('read the users of the image', limited, { signal });
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

/** The user of a container's processes. @param user in Docker's form: `name`, `uid`, `name:group` or `uid:gid`; empty: root @throws DockerError */
export async function ownerIn(host: DockerHost, id: string, user: string): Promise<FileOwner> {
  const [name = '', group] = user.split(':');
  const known = await containerUser(host, id, name);
  const uid = known?.uid ?? Number(name || 0);
  const gid = /^\d+$/.test(group ?? '') ? Number(group) : (known?.gid ?? 0);
  // Docker refuses to start a container with an unknown name, and reports the reason.
  return { uid: Number.isInteger(uid) ? uid : 0, gid };
}

/** passwd(5): `name:password:uid:gid:...` */
function userIn(users: string, name: string): FileOwner | undefined {
  const line = users.split('\n').find((one) => one.startsWith(`${name}:`));
  const [uid, gid] = (line?.split(':') ?? []).slice(2, 4).map(Number);
  if (uid === undefined || gid === undefined) return undefined;
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
