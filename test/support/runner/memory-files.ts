/** A project in memory, for the analyzer. */
import { posix } from 'node:path';
import type { ProjectFiles } from '../../../runner/builder/analyzer/project-files.ts';

/** @param rootDir the service root in it; absent: the files are the service root's own */
export function memoryFiles(files: Record<string, string>, rootDir?: string): ProjectFiles {
  if (rootDir === undefined) return view(files);
  const own = Object.entries(files)
    .filter(([path]) => path.startsWith(`${rootDir}/`))
    .map(([path, text]) => [path.slice(rootDir.length + 1), text] as const);
  return { ...view(Object.fromEntries(own)), around: { files: view(files), directory: rootDir } };
}

function view(files: Record<string, string>): ProjectFiles {
  const at = (path: string) => posix.normalize(path).replace(/^\.\//, '');
  return {
    has: (path) => Object.hasOwn(files, at(path)),
    read: (path) => (Object.hasOwn(files, at(path)) ? files[at(path)] : undefined),
    list(directory = '.') {
      const prefix = at(directory) === '.' ? '' : `${at(directory).replace(/\/$/, '')}/`;
      const names = Object.keys(files)
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length).replace(/\/.*/, '/'));
      return [...new Set(names)].sort();
    },
  };
}
