/** The files of a service root as the analyzer sees them: paths are relative, with "/", and never lead out. Read-only and synchronous. */
export interface ProjectFiles {
  /** Whether there is a regular file. */
  has(path: string): boolean;
  /** Text of a file of at most 1 MB; undefined when there is none, it is larger, or it is not UTF-8. */
  read(path: string): string | undefined;
  /** Names in a directory, sorted; directories end with "/". Empty when there is none. */
  list(directory?: string): readonly string[];
  /** What is around the service root when `rootDir` names a part of the repository: lock file and workspace may be there. */
  readonly around?: RepositoryAround;
}

export interface RepositoryAround {
  /** The whole repository. */
  files: ProjectFiles;
  /** The service root in it: `apps/web`. */
  directory: string;
}
