/** Packs the files of a static site as a tar stream, all under one directory. */
import { realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import tar from 'tar-fs';
import { JobFailure } from '../base/job-failure.ts';
import { pathInside } from '../source/safe-path.ts';

/** The directory of the files in a static image. */
export const siteDirectory = 'site';

/** Makes files and directories readable for everyone, regardless of their mode in the checkout. */
const readable = { umask: 0, dmode: 0o755, fmode: 0o644 };

/**
 * Packs `directory` of a service root. Leaves `.git` out. A link to a file inside the site is replaced with the file; other links are left
 * out.
 * @throws JobFailure `source_refused` when the directory is outside the repository, `build_method_missing` when it is not a directory
 */
export async function packStaticFiles(root: string, directory: string): Promise<Readable> {
  const real = await pathInside(root, directory, 'staticOutput');
  if (real === undefined || !(await stat(real)).isDirectory()) {
    throw new JobFailure('build_method_missing', `The repository has no directory "${directory}" to serve.`);
  }
  const options = {
    ...readable,
    dereference: true,
    ignore: (path: string) =>
      path.startsWith(join(real, '.git') + sep) || path === join(real, '.git') || leadsOut(real, path),
    map: (header: tar.Headers) => {
      header.name = join(siteDirectory, header.name);
      return header;
    },
  };
  return tar.pack(real, options) as unknown as Readable;
}

/** True for a link out of the site, a dangling link, or a link to a directory (which could be circular). */
function leadsOut(root: string, path: string): boolean {
  try {
    const real = realpathSync(path);
    if (real === path) return false;
    return !real.startsWith(root + sep) || statSync(real).isDirectory();
  } catch {
    return true;
  }
}
