/**
 * File names that are no UTF-8, as old archives and Windows programs leave them. Node reads them under another name, which is no file, and
 * BuildKit takes none of them.
 */
import { isUtf8 } from 'node:buffer';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobLog } from '../job-log/job-log.ts';
import type { TreeEntry } from './tree-entries.ts';

/** What a decoder writes for bytes that are no UTF-8. */
const replacement = '\ufffd';
const namedMax = 5;

/** Leaves them out of a checkout, and says so. @returns the entries that stay */
export async function withoutUnreadableNames(
  directory: string,
  entries: TreeEntry[],
  log: JobLog,
): Promise<TreeEntry[]> {
  if (!entries.some(({ path }) => path.includes(replacement))) return entries;
  const left: string[] = [];
  await removeBelow(Buffer.from(directory), '', left);
  if (left.length === 0) return entries;
  const others = left.length > namedMax ? ` and ${left.length - namedMax} more` : '';
  const named = left.slice(0, namedMax).map((path) => JSON.stringify(path));
  log.line('system', `Left out, because their names are not UTF-8: ${named.join(', ')}${others}.`);
  return entries.filter(({ path }) => !left.some((one) => path === one || path.startsWith(`${one}/`)));
}

/** Git knows no empty folders, so none stays. @param left gets the paths that were removed, as they are shown */
async function removeBelow(directory: Buffer, shown: string, left: string[]): Promise<void> {
  const before = left.length;
  for (const entry of await readdir(directory, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([directory, Buffer.from('/'), entry.name]);
    const name = join(shown, entry.name.toString('utf8'));
    if (!isUtf8(entry.name)) {
      await rm(path, { recursive: true, force: true });
      left.push(name);
    } else if (entry.isDirectory() && name !== '.git') await removeBelow(path, name, left);
  }
  if (left.length > before && shown !== '' && (await readdir(directory)).length === 0) await rmdir(directory);
}
