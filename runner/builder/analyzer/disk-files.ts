/** A checkout on disk, for the analyzer. It is untrusted: links may point anywhere, files may have any size. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { ProjectFiles, RepositoryAround } from './project-files.ts';

/** No manifest is larger. A lock file may be larger, but then only its existence matters. */
const readLimitBytes = 1024 * 1024;

/**
 * The files of a service root.
 * @param tree the checkout, absolute
 * @param directory the service root in it; `.` for the checkout itself. The directory must exist and be inside the tree (`pathInside`).
 */
export function projectOnDisk(tree: string, directory = '.'): ProjectFiles {
  const repository = filesBelow(tree);
  if (directory === '.' || directory === '') return repository;
  return filesBelow(join(tree, directory), { files: repository, directory });
}

function filesBelow(root: string, around?: RepositoryAround): ProjectFiles {
  const realRoot = realpathSync(root);
  const inside = (path: string): string | undefined => {
    if (path.includes('\0')) return undefined;
    try {
      const real = realpathSync(join(realRoot, path));
      return real === realRoot || real.startsWith(realRoot + sep) ? real : undefined;
    } catch {
      return undefined;
    }
  };
  const regularFile = (path: string) => {
    const real = inside(path);
    return real !== undefined && statSync(real).isFile() ? real : undefined;
  };
  return {
    has: (path) => regularFile(path) !== undefined,
    read(path) {
      const real = regularFile(path);
      if (real === undefined || statSync(real).size > readLimitBytes) return undefined;
      return utf8(readFileSync(real));
    },
    list(directory = '.') {
      const real = inside(directory);
      if (real === undefined || !statSync(real).isDirectory()) return [];
      return readdirSync(real, { withFileTypes: true })
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .sort();
    },
    ...(around ? { around } : {}),
  };
}

/** Without the byte order mark and the carriage returns of files that were written on Windows: no pattern of a provider expects them. */
function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}
