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
  return lines.find((line) => semver.intersects(range, `${line}.x`))?.toString();
}
