/** Commands that are printed for copying: they work in a shell with any directory name. */
import { resolve } from 'node:path';
import { typed } from '../program.ts';
import { defaultDataDirectory } from './data-directory.ts';

/** Quotes a text as one word for a POSIX shell. Within single quotes only the quote itself is special (POSIX.1-2024, XCU 2.2.2). */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export const isDefaultData = (data: string): boolean => resolve(data) === resolve(defaultDataDirectory);

/** The command that stops the instance of this data directory. The default directory is left out. */
export function stopCommand(data: string, ...flags: string[]): string {
  const isDefault = isDefaultData(data);
  // With "=", a name that begins with "-" is not read as an option.
  const named = data.startsWith('-') ? `--data=${shellWord(data)}` : `--data ${shellWord(data)}`;
  return typed('stop', ...flags, ...(isDefault ? [] : [named]));
}
