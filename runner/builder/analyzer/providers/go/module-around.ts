/** The module of Go that a service root belongs to, which may begin above it, and whether its build needs the modules beside it. */
import { posix } from 'node:path';
import { filesBelow, type ProjectFiles } from '../../project-files.ts';

export interface GoModule {
  /** Files of the module. */
  files: ProjectFiles;
  /** The module's directory in the scope; empty if it is the scope itself. */
  base: string;
  /** The program's directory in the module; empty if it is the module's root. */
  directory: string;
  scope: { scope?: 'repository' };
  /** True if the module's build reads other modules of the repository. */
  readsOthers: boolean;
}

/**
 * A program below the root of a module needs the requirements of the nearest go.mod above it, and the module's other packages. A module
 * needs the modules beside it that its workspace or its `replace` lines name.
 */
export function moduleOf(own: ProjectFiles): GoModule {
  const alone: GoModule = { files: own, base: '', directory: '', scope: {}, readsOthers: false };
  const { around } = own;
  if (!around || own.has('go.work')) return alone;
  const { files: repository, directory } = around;
  const base = [directory, ...directoriesAbove(directory)].find((one) =>
    repository.has(posix.join(one, 'go.mod')),
  );
  if (base === undefined) return alone;
  const readsOthers = replacesOutside(repository, base) || isInWorkspace(repository, base);
  if (base === directory && !readsOthers) return alone;
  const inModule = posix.relative(base, directory);
  return {
    files: filesBelow(repository, base),
    base: base === '.' ? '' : base,
    directory: inModule,
    scope: { scope: 'repository' },
    readsOthers,
  };
}

/** The directories above one, the nearest first, up to the repository itself. */
const directoriesAbove = (directory: string): string[] =>
  directory === '.' ? [] : [posix.dirname(directory), ...directoriesAbove(posix.dirname(directory))];

/** `replace example.com/shared => ../shared`: https://go.dev/ref/mod#go-mod-file-replace */
const replacesOutside = (repository: ProjectFiles, base: string) =>
  /=>\s*\.\.\//.test(repository.read(posix.join(base, 'go.mod')) ?? '');

/** True if the nearest go.work above a module lists it: https://go.dev/ref/mod#go-work-file-use */
function isInWorkspace(repository: ProjectFiles, base: string): boolean {
  const top = directoriesAbove(base).find((one) => repository.has(posix.join(one, 'go.work')));
  if (top === undefined) return false;
  const used = (repository.read(posix.join(top, 'go.work')) ?? '').match(/[^\s"`()]+/g) ?? [];
  return used.some((word) => posix.join(top, word) === base);
}
