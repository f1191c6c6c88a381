/**
 * Removes the carriage returns of Windows line ends from the scripts of a source. Linux starts no script whose first line ends with one
 * ("sh\r: not found"), and a shell reads it as a part of the last word.
 */
import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Scripts are small; a larger file with such a first line has data behind its script. */
const bytesMax = 1024 * 1024;
/** The interval of pauses for other work while a large source is searched. */
const pauseEveryMs = 20;

/** Scripts of a shell, which may have no `#!` line: `sh start.sh`, `sh gradlew`. */
const shellScript = /(^|\/)(gradlew|mvnw|[^/]+\.(sh|bash))$/;
/** Files that may begin with `#!`. Executable files count too, but a repository made on Windows has none. */
const mayBeScript =
  /(^|\/)(s?bin|scripts?|\.husky|exe)\/[^/]+$|(^|\/)([^/.]+|manage\.py|[^/]*entrypoint[^/]*)$/i;
const installed = /(^|\/)(\.git|node_modules)(\/|$)/;

/**
 * Rewrites the scripts in place.
 * @param tree a checkout of this job; links are not followed
 * @returns the paths of the rewritten files, sorted
 */
export async function removeWindowsLineEnds(tree: string): Promise<string[]> {
  const changed: string[] = [];
  let paused = performance.now();
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
    if (performance.now() - paused > pauseEveryMs) {
      await setImmediate();
      paused = performance.now();
    }
    const path = pathOf(tree, entry);
    if (!entry.isFile() || installed.test(path) || !(shellScript.test(path) || mayBeScript.test(path)))
      continue;
    if (await rewrite(join(tree, path), shellScript.test(path))) changed.push(path);
  }
  return changed.sort();
}

/** More names would hide the rest of the note. */
const scriptsMax = 10;

/** A line of the log for the rewritten files. */
export function lineEndsNote(scripts: readonly string[]): string {
  const more = scripts.length > scriptsMax ? ` and ${scripts.length - scriptsMax} more` : '';
  return `Windows line ends (CRLF) were removed from scripts, which Linux could not start: ${scripts.slice(0, scriptsMax).join(', ')}${more}. To store them right in git, add the line "*.sh text eol=lf" (and one for each other name) to .gitattributes.`;
}

const pathOf = (tree: string, { parentPath, name }: Dirent) => relative(tree, join(parentPath, name));

/** @returns true if the file was changed */
async function rewrite(file: string, isShellScript: boolean): Promise<boolean> {
  const handle = await open(file, constants.O_RDWR | constants.O_NOFOLLOW).catch(() => undefined);
  if (!handle) return false; // a file without rights for its owner
  try {
    const { size } = await handle.stat();
    if (size > bytesMax) return false;
    const text = (await handle.readFile()).toString('latin1'); // keeps every byte
    if (!text.includes('\r\n') || text.includes('\0')) return false;
    if (!/^#![^\n]*\r\n/.test(text) && !isShellScript) return false;
    const bytes = Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1');
    await handle.truncate(0);
    await handle.write(bytes, 0, bytes.length, 0);
    return true;
  } finally {
    await handle.close();
  }
}
