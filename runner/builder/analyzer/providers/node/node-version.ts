/** Which Node a project wants: the variable, then what is made to choose a version, then the range that it permits. */
import semver from 'semver';
import type { ProjectFiles } from '../../project-files.ts';
import type { PackageJson } from './package-json.ts';

/** Lines that an official image exists of, the most wanted first: the default, then newer, then older ones. */
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
  /** Begin of an image's tag. */
  version: string;
  /** Where it is from, for the log. */
  from: string;
}

/** @param places where version files may be, the service root first */
export function nodeVersion(
  json: PackageJson,
  places: readonly ProjectFiles[],
  env: Readonly<Record<string, string>>,
): NodeVersion {
  const file = (name: string) => places.map((files) => files.read(name)?.trim()).find(Boolean);
  const wishes: [from: string, text: string | undefined][] = [
    ['NODE_VERSION', env.NODE_VERSION],
    ['.nvmrc', file('.nvmrc')],
    ['.node-version', file('.node-version')],
    ['volta', json.volta.node],
    ['engines', json.engines.node],
  ];
  for (const [from, text] of wishes) {
    const version = text && tagOf(text);
    if (version) return { version, from };
  }
  return { version: String(lines[0]), from: 'default' };
}

/** `22`, `v22.11.0`, `lts/jod`, `>=18 <23`; undefined for what nothing satisfies. */
function tagOf(text: string): string | undefined {
  const wish =
    text
      .split(/\s*#/)[0]
      ?.trim()
      .replace(/^v(?=\d)/, '')
      .toLowerCase() ?? '';
  if (/^(lts\/\*|lts|node|latest|stable|current|\*)$/.test(wish)) return String(lines[0]);
  const codename = /^lts\/(\w+)$/.exec(wish)?.[1];
  if (codename) return codenames[codename]?.toString();
  if (/^\d+(\.\d+){0,2}$/.test(wish)) return wish;
  if (!semver.validRange(wish)) return undefined;
  return lines.find((line) => semver.intersects(wish, `${line}.x`))?.toString();
}
