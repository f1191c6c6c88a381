/** Whether a release is what was bundled: a power cut or a failing disk can leave its files empty. `install.sh` and `choose-release.sh` check the same list. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { runCommand } from '../local/setup/command.ts';

/** In the format of `sha256sum`: all files of the release but this one. */
const listName = 'digests';
const versionTimeoutMs = 10_000;

/** Writes the list into a directory that is about to be packed. */
export async function writeDigests(directory: string): Promise<void> {
  const lines: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path);
    if (entry.isFile() && name !== listName) lines.push(`${await digestOf(path)}  ${name}`);
  }
  await writeFile(join(directory, listName), `${lines.sort().join('\n')}\n`);
}

/** False also for a directory that does not exist. */
export async function isWhole(directory: string): Promise<boolean> {
  const text = await readFile(join(directory, listName), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) {
    const [digest = '', name = ''] = line.split('  ');
    if ((await digestOf(join(directory, name)).catch(() => '')) !== digest) return false;
  }
  return lines.length > 0;
}

/** What the program in this directory says of itself; undefined when it does not run. */
export const nodeVersion = (directory: string): Promise<string | undefined> =>
  runCommand(join(directory, 'node'), ['--version'], { timeoutMs: versionTimeoutMs }).then(
    (version) => version.trim(),
    () => undefined,
  );

const digestOf = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
