/** The files of a service root, as far as the choice of a build needs them. */
import { readFile, stat } from 'node:fs/promises';
import { pathInside } from '../source/safe-path.ts';

export interface ServiceFiles {
  /** Whether there is a regular file. @throws JobFailure `source_refused` for paths that lead out */
  hasFile(path: string): Promise<boolean>;
  /** The text of a file, or undefined. */
  readText(path: string): Promise<string | undefined>;
}

/** A directory on disk; links may not lead out of it. */
export function serviceFiles(root: string): ServiceFiles {
  const regularFile = async (path: string) => {
    const real = await pathInside(root, path, 'The path');
    return real !== undefined && (await stat(real)).isFile() ? real : undefined;
  };
  return {
    hasFile: async (path) => (await regularFile(path)) !== undefined,
    readText: async (path) => {
      const real = await regularFile(path);
      return real === undefined ? undefined : await readFile(real, 'utf8');
    },
  };
}
