/** Lists the files of a folder that are sent, always in the same order. */
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { usageFailure } from '../base/failure.ts';
import { size } from '../base/progress.ts';
import { readIgnoreFiles } from './ignore-files.ts';

export interface FolderEntry {
  /** Relative path with slashes. */
  path: string;
  /** Bytes; 0 for a link. */
  size: number;
  isExecutable: boolean;
  /** The target of a symbolic link; undefined for a file. */
  target?: string;
}

export interface FolderList {
  entries: FolderEntry[];
  bytes: number;
  /** Files that are not sent although the user may expect it, one sentence each. */
  leftOut: string[];
}

/** The limits of a host (docs/guide/deploy.md). */
const bytesMax = 1e9;
const filesMax = 300_000;

/** @throws Failure (usage) for a folder that is empty, too large or unreadable */
export async function listFolder(folder: string): Promise<FolderList> {
  const list: FolderList = { entries: [], bytes: 0, leftOut: [] };
  const files = await readIgnoreFiles(folder);
  const visit = async (directory: string): Promise<void> => {
    await files.enter(directory);
    const found = await readdir(join(folder, directory), { withFileTypes: true });
    for (const one of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = posix.join(directory, one.name);
      if (files.ignores(path, one.isDirectory())) noteEnvironment(list, path);
      else if (one.isDirectory()) await visit(path);
      else await add(list, folder, path);
    }
  };
  await visit('').catch((error: NodeJS.ErrnoException) => {
    throw error.code && error.path ? usageFailure(`${error.path} cannot be read: ${error.code}`) : error;
  });
  if (list.entries.length === 0)
    throw usageFailure(
      'This folder has no files to deploy. Ignored files are not sent: see .gitignore and .longshoreignore.',
    );
  return list;
}

async function add(list: FolderList, folder: string, path: string): Promise<void> {
  const stats = await lstat(join(folder, path));
  if (stats.isSymbolicLink()) {
    const target = await readlink(join(folder, path));
    const end = posix.join(posix.dirname(path), target);
    if (target.startsWith('/') || end === '..' || end.startsWith('../'))
      list.leftOut.push(`The link ${path} is not sent: it points to ${target}, outside the folder.`);
    else list.entries.push({ path, size: 0, isExecutable: false, target });
  } else if (stats.isFile()) {
    list.entries.push({ path, size: stats.size, isExecutable: (stats.mode & 0o100) !== 0 });
    list.bytes += stats.size;
  } else list.leftOut.push(`${path} is not sent: it is not a regular file.`);
  if (list.bytes > bytesMax || list.entries.length > filesMax) throw tooLarge(list);
}

function noteEnvironment({ leftOut }: FolderList, path: string): void {
  if (posix.basename(path) === '.env')
    leftOut.push(`${path} is not sent. Give its variables to the service: longshore env push ${path}`);
}

/** Lists the directories that take most of the size. */
function tooLarge({ entries, bytes }: FolderList) {
  const sums = new Map<string, number>();
  for (const { path, size: own } of entries) {
    const top = path.split('/')[0] ?? path;
    sums.set(top, (sums.get(top) ?? 0) + own);
  }
  const [largest, most] = [...sums].toSorted((a, b) => b[1] - a[1])[0] ?? ['', 0];
  return usageFailure(
    `This folder is too large: at most ${size(bytesMax)} and ${filesMax.toLocaleString('en')} files are sent, and ${size(bytes)} in ${entries.length.toLocaleString('en')} files were found so far, ${size(most)} of them in ${largest}. List what the app does not need in .longshoreignore.`,
  );
}
