/** Commands that are printed for copying: they work in a shell with any directory name. */
import { resolve } from 'node:path';
import { defaultDataDirectory } from './data-directory.ts';

/** One word for a POSIX shell. Within single quotes only the quote itself is special (POSIX.1-2024, XCU 2.2.2). */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `npm stop` for the instance of this data directory, which is left out when it is the default. */
export function stopCommand(data: string, ...flags: string[]): string {
  const isDefault = resolve(data) === resolve(defaultDataDirectory);
  // With "=", a name that begins with "-" is not read as an option.
  const named = data.startsWith('-') ? `--data=${shellWord(data)}` : `--data ${shellWord(data)}`;
  const options = isDefault ? flags : [...flags, named];
  return options.length === 0 ? 'npm stop' : `npm stop -- ${options.join(' ')}`;
}
