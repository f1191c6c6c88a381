/** The version of a language that a project needs: from the first file that sets one, shortened to the form of image tags. */
import semver from 'semver';
import type { ProjectFiles } from './project-files.ts';
import { isTable, readToml, textAt, textsAt } from './toml.ts';

/** A file that may set a version, and its text: exact (`3.12.1`, `ruby-3.3.0`) or a range (`>=3.10,<4`, `^8.2`). */
export type VersionHint = readonly [from: string, text: string | undefined];

export interface ChosenVersion {
  /** Start of an image's tag. */
  version: string;
  /** The source of the version, for the build log. */
  from: string;
}

/**
 * @param lines versions with an official image, in order of preference; the first is the default
 * @param parts number of version parts in a tag: 2 shortens 3.12.1 to 3.12, so the image has the newest patch
 */
export function chooseVersion(
  lines: readonly string[],
  hints: readonly VersionHint[],
  parts: 1 | 2 | 3 = 2,
): ChosenVersion {
  for (const [from, text] of hints) {
    const version = text === undefined ? undefined : tagOf(text.trim(), lines, parts);
    if (version) return { version, from };
  }
  return { version: lines[0] ?? 'latest', from: 'default' };
}

/** The version of a tool in `.tool-versions` (https://asdf-vm.com/manage/configuration.html) or `mise.toml`, under any of its names. */
export function toolVersion(files: ProjectFiles, ...names: string[]): VersionHint {
  const asdf = new RegExp(`^\\s*(?:${names.join('|')})\\s+(\\S+)`, 'm');
  const found = asdf.exec(files.read('.tool-versions') ?? '')?.[1];
  if (found) return ['.tool-versions', found];
  const { tools } = readToml(files, 'mise.toml');
  const name = names.find((one) => isTable(tools) && one in tools) ?? '';
  return ['mise.toml', textAt(tools, name) ?? textsAt(tools, name)[0] ?? textAt(tools, name, 'version')];
}

/** First line of a file that contains only a version. */
export const versionFile = (files: ProjectFiles, path: string): VersionHint => [
  path,
  files
    .read(path)
    ?.split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#')),
];

/** First capture of a pattern in a file. */
export const versionIn = (files: ProjectFiles, path: string, pattern: RegExp): VersionHint => [
  path,
  pattern.exec(files.read(path) ?? '')?.[1],
];

function tagOf(text: string, lines: readonly string[], parts: number): string | undefined {
  const exact = /^(?:[a-z]+-?)?(\d+(?:\.\d+){0,3})(?:[-+_][\w.+-]*)?$/i.exec(text)?.[1];
  if (exact) return exact.split('.').slice(0, parts).join('.');
  const range = semver.validRange(asNpmRange(text));
  if (!range) return undefined;
  return lines.find((line) => semver.intersects(range, line.includes('.') ? `~${line}` : `${line}.x`));
}

/** Converts ranges of PEP 440, RubyGems, Composer and Hex to npm's syntax: `~=3.11` and `~> 3.2` allow the whole major version. */
const asNpmRange = (text: string) =>
  text
    .replace(/\s*\|\|?\s*/g, ' || ')
    .replace(/\s+and\s+/g, ' ')
    .replace(/~[=>]\s*(\d+\.\d+)(?![\d.])/g, '^$1')
    .replace(/~[=>]\s*/g, '~')
    .replace(/==/g, '=')
    .replace(/!=\s*[\d.*]+/g, '')
    .replaceAll(',', ' ');
