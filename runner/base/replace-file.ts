/**
 * Writes files durably, so that a power cut directly afterwards loses none of them: temporary file, fsync, rename, fsync of the directory.
 * A rename alone may survive without the bytes. The files are listed in docs/design/reliability.md.
 */
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** @param mode of the file; by default only its owner reads it */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', mode);
  try {
    fchmodSync(file, mode);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/** The same for files that are replaced often: the process continues while the disk works. One call for a path at a time. */
export async function replaceFileBeside(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await renameDurably(temporary, path);
}

/** Gives a finished directory its final name, after flushing all files in it. */
export async function publishDirectory(unfinished: string, target: string): Promise<void> {
  await syncTree(unfinished);
  await renameDurably(unfinished, target);
}

/** A rename that survives a power cut. The renamed file must be flushed already. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncPath(dirname(to));
}

/** Flushes a directory with all files and directories in it. Links are part of their directory. */
async function syncTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  // In parallel: the file system commits many flushes together.
  await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) await syncTree(path);
      else if (entry.isFile()) await syncPath(path);
    }),
  );
  await syncPath(directory);
}

/** Flushes one file, or the names in one directory. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** Makes renames, links and removals in a directory durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
