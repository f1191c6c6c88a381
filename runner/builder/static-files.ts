/** The files of a static site as a tar stream, all of them under one directory. */
import { realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import tar from 'tar-fs';
import { JobFailure } from '../base/job-failure.ts';
import { pathInside } from '../source/safe-path.ts';

/** Where a static image keeps its files. */
export const siteDirectory = 'site';

/** Files and directories that everybody may read, whatever the checkout said. */
const readable = { umask: 0, dmode: 0o755, fmode: 0o644 };

/**
 * Packs `directory` of a service root.
 * `.git` stays out; links are replaced by the file they lead to inside the site, and left out when they lead elsewhere.
 * @throws JobFailure `source_refused` when the directory is outside the repository, `build_method_missing` when it is none
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

/** Links out of the site, dangling ones, and links to directories (they may form a ring). */
function leadsOut(root: string, path: string): boolean {
  try {
    const real = realpathSync(path);
    if (real === path) return false;
    return !real.startsWith(root + sep) || statSync(real).isDirectory();
  } catch {
    return true;
  }
}
