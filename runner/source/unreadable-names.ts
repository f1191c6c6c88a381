/**
 * Removes files whose names are not UTF-8, as left by old archives and Windows programs. Node reads them under another name, which does not
 * exist, and BuildKit refuses them.
 */
import { isUtf8 } from 'node:buffer';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobLog } from '../job-log/job-log.ts';
import type { TreeEntry } from './tree-entries.ts';

/** A decoder's replacement for bytes that are not UTF-8. */
const replacement = '\ufffd';
const namedMax = 5;

/** Removes such files from a checkout, and logs that. @returns the remaining entries */
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

/** Git has no empty folders, so none is kept. @param left gets the removed paths in their displayed form */
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
