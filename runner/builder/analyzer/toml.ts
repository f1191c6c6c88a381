/** TOML files of a project. They are untrusted: size and depth are limited, and the keys `__proto__` and `constructor` are dropped. */
import { parse, TomlError } from 'smol-toml';
import type { ProjectFiles } from './project-files.ts';
import { AnalyzerError } from './provider.ts';

export type Toml = Readonly<Record<string, unknown>>;

/** Manifests have some KiB. The worst file of this size takes 70 ms, during which the runner is blocked. */
const kibMax = 128;
/** The depth of nested lists and tables. */
const depthMax = 32;

/** @returns the tables of a file, none if it is missing. @throws AnalyzerError for invalid TOML, with the reason and the line */
export function readToml(files: ProjectFiles, path: string): Toml {
  const read = parsed(files, path);
  if (typeof read === 'string') throw new AnalyzerError(`${path} ${read}.`);
  return read;
}

/** Like `readToml`, for an optional file. @returns `undefined` for invalid TOML */
export function tryToml(files: ProjectFiles, path: string): Toml | undefined {
  const read = parsed(files, path);
  return typeof read === 'string' ? undefined : read;
}

/** @returns the value under these keys */
export const valueAt = (table: unknown, ...keys: string[]): unknown =>
  keys.reduce((at, key) => (isTable(at) ? at[key] : undefined), table);

/** Like `valueAt`; `undefined` for anything but a text. */
export function textAt(table: unknown, ...keys: string[]): string | undefined {
  const value = valueAt(table, ...keys);
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a list, found like `valueAt`; none if the value is not a list. */
export function textsAt(table: unknown, ...keys: string[]): string[] {
  const value = valueAt(table, ...keys);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Like `valueAt`; an empty table if the value is not a table. */
export function tableAt(table: unknown, ...keys: string[]): Toml {
  const value = valueAt(table, ...keys);
  return isTable(value) ? value : {};
}

export const isTable = (value: unknown): value is Toml =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns the tables, or the reason why the file is invalid, as the end of a sentence */
function parsed(files: ProjectFiles, path: string): Toml | string {
  const text = files.read(path);
  if (text === undefined ? files.has(path) : text.length > kibMax * 1024)
    return `is larger than ${kibMax} KiB, or is not UTF-8`;
  try {
    return parse(text ?? '', {
      maxDepth: depthMax,
      unsafeKeyBehaviour: 'drop',
      integersAsBigInt: 'asNeeded',
    });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines after the first quote a part of the file.
    const reason = /^(?:Invalid TOML document: )?([^\n]*?)\.?(?:\n|$)/.exec(error.message)?.[1];
    return `is not valid TOML: ${reason} (line ${error.line})`;
  }
}
