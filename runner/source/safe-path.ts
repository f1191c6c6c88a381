/** Paths from users, inside a checkout that is also from users. */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { JobFailure } from '../base/job-failure.ts';

/**
 * The real path of `path` inside `root`, or undefined if it does not exist.
 * @param what the field's name, for the message: "rootDir"
 * @throws JobFailure `source_refused` for absolute paths, `..`, NUL, and for links out of `root`
 */
export async function pathInside(root: string, path: string, what: string): Promise<string | undefined> {
  refuseTraversal(path, what);
  const realRoot = await realpath(root);
  let real: string;
  try {
    real = await realpath(join(realRoot, path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (real !== realRoot && !real.startsWith(realRoot + sep)) {
    throw new JobFailure('source_refused', `${what} "${path}" points outside the repository.`);
  }
  return real;
}

/** The checks that need no file system. */
export function refuseTraversal(path: string, what: string): void {
  const segments = path.split(/[/\\]/);
  if (path.startsWith('/') || path.startsWith('\\') || path.includes('\0') || segments.includes('..')) {
    throw new JobFailure(
      'source_refused',
      `${what} "${path.replaceAll('\0', '')}" must be a path inside the repository.`,
    );
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}
