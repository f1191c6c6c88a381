/** The files of a folder that was not sent, from the list of its paths and the texts of a few of them. */
import { posix } from 'node:path';
import { filesBelow, type ProjectFiles } from '../analyzer/project-files.ts';

/**
 * @param paths relative to the folder, with "/" @param texts of some of them
 * @param rootDir the service root in it; null: the folder
 */
export function listedFiles(
  paths: readonly string[],
  texts: Readonly<Record<string, string>>,
  rootDir: string | null,
): ProjectFiles {
  const files = new Set(paths);
  const names = namesByDirectory(paths);
  const contents = new Map(Object.entries(texts));
  const whole: ProjectFiles = {
    has: (path) => files.has(posix.normalize(path)),
    read: (path) => contents.get(posix.normalize(path))?.replaceAll('\r\n', '\n'),
    list: (directory = '.') => [...(names.get(plain(directory)) ?? [])].sort(),
  };
  const directory = rootDir === null ? '.' : plain(rootDir);
  if (directory === '.') return whole;
  return { ...filesBelow(whole, directory), around: { files: whole, directory } };
}

const plain = (directory: string) => posix.normalize(directory).replace(/\/$/, '');

function namesByDirectory(paths: readonly string[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    let name = posix.basename(path);
    for (let directory = posix.dirname(path); ; directory = posix.dirname(directory)) {
      const known = names.get(directory);
      if (known) known.add(name);
      else names.set(directory, new Set([name]));
      if (directory === '.' || directory === '/') break;
      name = `${posix.basename(directory)}/`;
    }
  }
  return names;
}
