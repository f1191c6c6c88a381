/** The users of an image, without running it. */
import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { DockerHost } from './client.ts';
import { copyFromImage } from './image-files.ts';

const passwd = '/etc/passwd';

/**
 * @param labels of the container that the file is read from, which is gone afterwards
 * @returns undefined when the image has no such user
 * @throws DockerError; JobFailure `build_failed` for an image without users
 */
export async function imageUser(
  host: DockerHost,
  image: { image: string; labels: Record<string, string> },
  name: string,
  signal: AbortSignal,
): Promise<{ uid: number; gid: number } | undefined> {
  let users = '';
  const read = async (files: NodeJS.ReadableStream) => {
    for await (const entry of files.pipe(extract())) users += await text(entry);
  };
  await copyFromImage(host, { ...image, path: passwd }, read, signal);
  // passwd(5): name:password:uid:gid:...
  const fields =
    users
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':') ?? [];
  const [uid, gid] = [Number(fields[2]), Number(fields[3])];
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
