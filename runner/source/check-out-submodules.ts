/**
 * Submodules, where a service asks for them. git's own `submodule update` is not used: it takes names, commands and protocols from
 * the repository. Each one is fetched as the service's repository is: parsed URL, checked address, nothing of its own run.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../base/job-failure.ts';
import { type FetchedTree, type Fetching, fetchTree } from './fetch-tree.ts';
import { parseRepositoryUrl, type RepositoryUrl } from './repository-url.ts';
import { pathInside } from './safe-path.ts';
import type { Submodule } from './submodule-list.ts';

/** `top`: those of the repository; `recursive`: theirs, too. */
export type SubmoduleWish = 'none' | 'top' | 'recursive';

export const submodulesMax = 50;
export const submoduleDepthMax = 5;

/** A repository and where it lies now. */
export interface CheckedOut {
  repository: RepositoryUrl;
  tree: FetchedTree;
}

/**
 * Fetches the submodules of a tree into it.
 * @returns all of them
 * @throws JobFailure `source_refused`, `source_failed` with the submodule's path; the signal's reason
 */
export async function checkOutSubmodules(
  fetching: Fetching,
  tree: FetchedTree,
  wish: SubmoduleWish,
): Promise<CheckedOut[]> {
  if (wish === 'none') return [];
  const found: CheckedOut[] = [];
  /** @param at where the parent is in the tree: empty, or a path with "/" at its end */
  const descend = async (parent: CheckedOut, at: string, depth: number) => {
    for (const submodule of parent.tree.submodules) {
      const path = at + submodule.path;
      const child = await naming(path, async () => {
        refuseTooMany(found.length + 1, depth);
        const place = { parent: parent.repository, tree: tree.directory, path };
        return fetchSubmodule(fetching, submodule, place);
      });
      found.push(child);
      if (wish === 'recursive') await descend(child, `${path}/`, depth + 1);
    }
  };
  await descend({ repository: fetching.main, tree }, '', 1);
  return found;
}

function refuseTooMany(count: number, depth: number): void {
  if (depth > submoduleDepthMax)
    refuse(`it is nested ${depth} repositories deep, and the limit is ${submoduleDepthMax}.`);
  if (count > submodulesMax) refuse(`a service may have at most ${submodulesMax} submodules.`);
}

async function fetchSubmodule(
  fetching: Fetching,
  { url, commitSha }: Submodule,
  place: { parent: RepositoryUrl; tree: string; path: string },
): Promise<CheckedOut> {
  if (url === undefined) refuse('.gitmodules does not name its URL.');
  const repository = submoduleUrl(url, place.parent, fetching);
  const directory = await emptyDirectory(place.tree, place.path);
  fetching.log.line('system', `Fetching the submodule ${place.path} from ${repository.url}`);
  const wanted = { ref: commitSha, name: `The commit ${commitSha}` };
  return { repository, tree: await fetchTree(fetching, repository, wanted, directory) };
}

/**
 * Relative URLs begin at the repository that names them (gitmodules(5)). An ssh URL of the server that the service reaches by https is
 * taken as https: the service's token opens it, and people who work with ssh write it so.
 */
function submoduleUrl(text: string, parent: RepositoryUrl, { main, allowPrivate }: Fetching): RepositoryUrl {
  const options = { allowHttp: allowPrivate };
  if (/^\.\.?\//.test(text)) {
    const base = new URL(`${parent.url.replace(/\/+$/, '')}/`);
    return parseRepositoryUrl(new URL(text, base).href, options);
  }
  const own = parseRepositoryUrl(text, options);
  const isMainBySsh = own.protocol === 'ssh' && main.protocol === 'https' && own.host === main.host;
  if (!isMainBySsh || own.port !== 22 || main.port !== 443) return own;
  return parseRepositoryUrl(`https://${own.host}${new URL(own.url).pathname}`, options);
}

/** The directory that the checkout made for a submodule: itself, not one that a link leads to, and nothing is in it. */
async function emptyDirectory(tree: string, path: string): Promise<string> {
  const real = await pathInside(tree, path, 'The path');
  const expected = await pathInside(tree, '.', 'The path');
  if (real === undefined || expected === undefined || real !== join(expected, path))
    refuse('its path contains a symbolic link.');
  const files = await readdir(real).catch(() => undefined);
  if (files?.length !== 0) refuse('its path is not an empty directory.');
  return real;
}

async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    throw new JobFailure(error.code, `The submodule "${path}" could not be fetched: ${error.message}`, {
      cause: error.cause ?? error,
    });
  }
}

function refuse(message: string): never {
  throw new JobFailure('source_refused', message);
}
