/** The Node version for a project: from the variable, then from version files, then from the range in package.json. */
import semver from 'semver';
import type { ProjectFiles } from '../../project-files.ts';
import type { PackageJson } from './package-json.ts';

/** Versions with an official image, in order of preference: the default, then newer, then older ones. */
const lines = [24, 26, 25, 22, 20, 18, 16, 14];

/** https://github.com/nodejs/Release, "Codenames" */
const codenames: Record<string, number> = {
  fermium: 14,
  gallium: 16,
  hydrogen: 18,
  iron: 20,
  jod: 22,
  krypton: 24,
};

export interface NodeVersion {
  /** Start of an image's tag. */
  version: string;
  /** The source of the version, for the log. */
  from: string;
}

/** @param places where version files may be, the service root first */
export function nodeVersion(
  json: PackageJson,
  places: readonly ProjectFiles[],
  env: Readonly<Record<string, string>>,
): NodeVersion {
  const file = (name: string) => places.map((files) => files.read(name)?.trim()).find(Boolean);
  const hints: [from: string, text: string | undefined][] = [
    ['NODE_VERSION', env.NODE_VERSION],
    ['.nvmrc', file('.nvmrc')],
    ['.node-version', file('.node-version')],
    ['volta', json.volta.node],
    ['engines', json.engines.node],
  ];
  for (const [from, text] of hints) {
    const version = text && tagOf(text);
    if (version) return { version, from };
  }
  return { version: String(lines[0]), from: 'default' };
}

/** `22`, `v22.11.0`, `lts/jod`, `>=18 <23`; `undefined` if no version satisfies the text. */
function tagOf(text: string): string | undefined {
  const range =
    text
      .split(/\s*#/)[0]
      ?.trim()
      .replace(/^v(?=\d)/, '')
      .toLowerCase() ?? '';
  if (/^(lts\/\*|lts|node|latest|stable|current|\*)$/.test(range)) return String(lines[0]);
  const codename = /^lts\/(\w+)$/.exec(range)?.[1];
  if (codename) return Object.hasOwn(codenames, codename) ? String(codenames[codename]) : undefined;
  if (/^\d+(\.\d+){0,2}$/.test(range)) return range;
  if (!semver.validRange(range)) return undefined;
  const whole = lines.find((line) => semver.satisfies(`${line}.${newest}.${newest}`, range));
  return whole?.toString() ?? lines.map((line) => newestTag(range, line)).find((tag) => tag !== undefined);
}

/** Stands for the newest version of a line: a tag such as `24` moves on to it. */
const newest = 9999;

/** The newest version of a line that a range allows, for one that ends within the line: `<24.17.0` is `24.16`, `<=24.4.1` is `24.4.1`. */
function newestTag(range: string, line: number): string | undefined {
  const ends = new semver.Range(range).set.flatMap((comparators) =>
    comparators.filter(({ operator, semver: { major } }) => major === line && !operator.startsWith('>')),
  );
  const tags = ends.map(({ operator, semver: { minor, patch } }) => {
    if (operator !== '<') return `${line}.${minor}.${patch}`;
    if (patch > 0) return `${line}.${minor}.${patch - 1}`;
    return minor > 0 ? `${line}.${minor - 1}` : undefined;
  });
  return tags.findLast((tag) => tag !== undefined);
}
