/** Finds a tree's submodules: links in the tree, URLs in `.gitmodules`. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { submoduleMode, type TreeEntry } from './tree-entries.ts';

export interface Submodule {
  path: string;
  commitSha: string;
  /** The unchecked URL in .gitmodules; `undefined` if there is none. */
  url: string | undefined;
}

const fileName = '.gitmodules';

/**
 * Reads only paths and URLs. Names, which git uses as directories, and `update`, which can be a command, are never used.
 * @param directory of the checkout
 * @param git runs git there and returns its output
 */
export async function submodulesOf(
  entries: readonly TreeEntry[],
  directory: string,
  git: (args: string[]) => Promise<string>,
): Promise<Submodule[]> {
  const links = entries.filter(({ mode }) => mode === submoduleMode);
  if (links.length === 0) return [];
  const urls = await addresses(directory, git);
  return links.map(({ path, sha }) => ({ path, commitSha: sha, url: urls.get(path) }));
}

/** URLs by path. Empty if `.gitmodules` is a link, is missing or can't be read. */
async function addresses(
  directory: string,
  git: (args: string[]) => Promise<string>,
): Promise<Map<string, string>> {
  const file = await lstat(join(directory, fileName)).catch(() => undefined);
  if (!file?.isFile()) return new Map();
  const text = await git(['config', '--file', fileName, '--no-includes', '--null', '--list']).catch(() => '');
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const record of text.split('\0')) {
    const [, name, key, value] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(record) ?? [];
    if (name === undefined || key === undefined || value === undefined) continue;
    modules.set(name, { ...modules.get(name), [key]: value });
  }
  const known = [...modules.values()].flatMap(({ path, url }) =>
    path !== undefined && url !== undefined ? [[path, url] as const] : [],
  );
  return new Map(known);
}
