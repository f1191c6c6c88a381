/**
 * Makes a release of a static site safe to publish. It may contain any file of a repository or image, and Caddy follows symbolic links and
 * opens devices and pipes. So all files are removed except regular files, directories, and links to places inside the release.
 */
import { lstat, opendir, readlink, realpath, rm, utimes } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ProxyError } from './proxy-error.ts';

/**
 * Walks the whole release once before it is published; afterwards it is never written again. Every file gets a new modification time:
 * Caddy's ETag consists of time and size, and with builds that set fixed times, browsers would keep the pages of the last version.
 * @param sites the directory that must contain the release
 * @throws ProxyError `bad_route` if the release is elsewhere or is not a directory
 */
export async function prepareRelease(directory: string, sites: string): Promise<void> {
  const release = await realpath(directory).catch(() => undefined);
  if (!release || !isInside(release, await realpath(sites)) || !(await lstat(release)).isDirectory()) {
    throw new ProxyError('bad_route', `${directory} is not a release below ${sites}.`);
  }
  const links: string[] = [];
  const now = new Date();
  for await (const entry of await opendir(release, { recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) links.push(path);
    else if (entry.isFile()) await utimes(path, now, now);
    else if (!entry.isDirectory()) await rm(path, { force: true });
  }
  await removeOutwardLinks(links, release);
}

/**
 * A link must stay inside in both forms, as written and as resolved by the kernel. A dangling link is removed, because its target may
 * appear later.
 */
async function removeOutwardLinks(links: string[], release: string): Promise<void> {
  const outward: string[] = [];
  for (const link of links) {
    const target = await readlink(link);
    const written = !isAbsolute(target) && isInside(resolve(dirname(link), target), release);
    const followed = await realpath(link).catch(() => undefined);
    if (!written || !followed || !isInside(followed, release)) outward.push(link);
  }
  for (const link of outward) await rm(link, { force: true });
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
