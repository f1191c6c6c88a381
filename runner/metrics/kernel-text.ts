/** Reads the kernel's text files. Synchronous: they are memory, not a disk, and a thread pool would cost more than the read. */
import { readFileSync } from 'node:fs';

/** @returns `undefined` if the file does not exist (any more) */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The number in a file that contains nothing else; `undefined` for a missing file and for words such as `max`. */
export function readNumber(path: string): number | undefined {
  const text = readText(path)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The number after a name at the beginning of a line: `usage_usec 1234`. */
export function numberAfter(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const at = text.startsWith(`${name} `) ? 0 : text.indexOf(`\n${name} `) + 1;
  if (at === 0 && !text.startsWith(`${name} `)) return undefined;
  const value = Number.parseInt(text.slice(at + name.length + 1), 10);
  return Number.isNaN(value) ? undefined : value;
}
