/** The files of a service root as the analyzer sees them: relative paths with "/" that never leave the root. Read-only and synchronous. */
import { posix } from 'node:path';
import { type NamedSourceFile, namedSourceFiles } from '../../../protocol/sources/source-files.ts';

export interface ProjectFiles {
  /** @returns true if there is a regular file with this path. */
  has(path: string): boolean;
  /** Text of a file of at most 1 MB; undefined when it is missing, larger, or not UTF-8. */
  read(path: string): string | undefined;
  /** Names in a directory, sorted; directories end with "/". Empty if the directory is missing. */
  list(directory?: string): readonly string[];
  /** The repository around the service root, if `rootDir` names a part of it: lock file and workspace may be there. */
  readonly around?: RepositoryAround;
}

/** The files of a directory, with paths relative to it. */
export const filesBelow = (files: ProjectFiles, directory: string): ProjectFiles =>
  directory === '.'
    ? files
    : {
        has: (path) => files.has(posix.join(directory, path)),
        read: (path) => files.read(posix.join(directory, path)),
        list: (path = '.') => files.list(posix.join(directory, path)),
      };

export interface RepositoryAround {
  /** The whole repository. */
  files: ProjectFiles;
  /** The service root in it: `apps/web`. */
  directory: string;
}

/** The files that an explanation of a failure may mention, in the service root or the repository around it: a workspace has its lock file there. */
export const sourceFilesIn = (files: ProjectFiles): NamedSourceFile[] =>
  namedSourceFiles.filter((name) => files.has(name) || files.around?.files.has(name));
