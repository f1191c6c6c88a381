/**
 * Files of Git LFS (https://github.com/git-lfs/git-lfs/tree/main/docs): the repository contains pointers, an LFS server the contents. They
 * are fetched here and not by the program `git-lfs`, which connects to any address from the repository or the server, and uses the token
 * there.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, open, rename, stat } from 'node:fs/promises';
import type { JobLog } from '../job-log/job-log.ts';
import type { CheckedOut } from './check-out-submodules.ts';
import type { FetchedTree, Fetching } from './fetch-tree.ts';
import { downloadObjects, type LargeFile } from './lfs-download.ts';
import { pathInside } from './safe-path.ts';
import type { TreeEntry } from './tree-entries.ts';

/** git-lfs/docs/spec.md: a pointer is smaller than this. */
const pointerBytesMax = 1024;
const pointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/;

/** The variable that enables fetching the files. */
export const lfsVariable = 'GIT_LFS';

/** Logs once that files are pointers, to explain why an image or a model is only 130 bytes long. */
export async function warnOfPointers(tree: FetchedTree, log: JobLog): Promise<void> {
  const files = await largeFiles(tree);
  const [first] = files;
  if (!first) return;
  log.line(
    'system',
    `Warning: ${files.length} files are kept in Git LFS (${first.paths[0]}, ...) and were left as pointers. Set the variable ${lfsVariable}=true to fetch them.`,
  );
}

/**
 * Replaces the pointers with the contents.
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function fetchLargeFiles(fetching: Fetching, { repository, tree }: CheckedOut): Promise<void> {
  const files = await largeFiles(tree);
  if (files.length === 0) return;
  const bytes = files.reduce((sum, file) => sum + file.bytes * file.paths.length, 0);
  fetching.budget.addFiles(0, bytes);
  fetching.log.line('system', `Fetching ${files.length} files of Git LFS, ${Math.ceil(bytes / 1e6)} MB`);
  await downloadObjects(fetching, repository, files, async (file, temporary) => {
    for (const [index, path] of file.paths.entries()) {
      const at = await pathInside(tree.directory, path, 'The path');
      if (at === undefined) continue;
      const { mode } = await stat(at);
      // Every place gets a copy, except the last, which gets the file itself.
      if (index < file.paths.length - 1) await copyFile(temporary, at);
      else await rename(temporary, at);
      await chmod(at, mode);
    }
  });
}

/** The pointers of a tree. Only repositories with the attribute `filter=lfs` have any; others are not searched. */
async function largeFiles(tree: FetchedTree): Promise<LargeFile[]> {
  if (!(await usesLfs(tree))) return [];
  const found = new Map<string, LargeFile>();
  for (const { path, mode, bytes } of tree.entries) {
    if (!mode.startsWith('100') || bytes >= pointerBytesMax) continue;
    const [, oid, size] = pointer.exec(await readSmall(tree, path)) ?? [];
    if (oid === undefined) continue;
    const file = found.get(oid) ?? { oid, bytes: Number(size), paths: [] };
    file.paths.push(path);
    found.set(oid, file);
  }
  return [...found.values()];
}

async function usesLfs(tree: FetchedTree): Promise<boolean> {
  const attributes = tree.entries.filter(({ path }) => /(^|\/)\.gitattributes$/.test(path));
  for (const entry of attributes) {
    if (isSmall(entry) && /\bfilter=lfs\b/.test(await readSmall(tree, entry.path))) return true;
  }
  return false;
}

const attributesBytesMax = 256 * 1024;
const isSmall = ({ bytes }: TreeEntry) => bytes <= attributesBytesMax;

/** Empty if it is not a regular file inside the tree. */
async function readSmall(tree: FetchedTree, path: string): Promise<string> {
  const real = await pathInside(tree.directory, path, 'The path').catch(() => undefined);
  if (real === undefined) return '';
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return (await file.stat()).isFile() ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}
