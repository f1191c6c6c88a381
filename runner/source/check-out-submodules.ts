/**
 * Fetches submodules for services that request them. git's own `submodule update` is not used: it reads names, commands and protocols
 * from the repository. Each submodule is fetched like the service's repository: parsed URL, checked address, and none of its code is run.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../base/job-failure.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { type FetchedTree, type Fetching, fetchTree } from './fetch-tree.ts';
import { parseRepositoryUrl, type RepositoryUrl } from './repository-url.ts';
import { pathInside } from './safe-path.ts';
import type { Submodule } from './submodule-list.ts';

/** `top`: the repository's own submodules; `recursive`: also their submodules. */
export type SubmoduleMode = 'none' | 'top' | 'recursive';

/** The variable that selects the submodules to fetch. */
export const submodulesVariable = 'GIT_SUBMODULES';
export const submodulesMax = 50;
export const submoduleDepthMax = 5;

/** A repository and its checkout. */
export interface CheckedOut {
  repository: RepositoryUrl;
  tree: FetchedTree;
}

/**
 * Fetches the submodules of a tree into it.
 * @returns all submodules
 * @throws JobFailure `source_refused`, `source_failed` with the submodule's path; the signal's reason
 */
export async function checkOutSubmodules(
  fetching: Fetching,
  tree: FetchedTree,
  mode: SubmoduleMode,
): Promise<CheckedOut[]> {
  if (mode === 'none') {
    warnOfEmpty(fetching.log, tree.submodules, '', 'true');
    return [];
  }
  const found: CheckedOut[] = [];
  /** Logs that directories are empty, to explain why files in them are missing later. @param value of the variable that fetches the submodules */
  const descend = async (parent: CheckedOut, at: string, depth: number) => {
    for (const submodule of parent.tree.submodules) {
      const path = at + submodule.path;
      const child = await naming(path, async () => {
        refuseTooMany(found.length + 1, depth);
        const place = { parent: parent.repository, tree: tree.directory, path };
        return fetchSubmodule(fetching, submodule, place);
      });
      found.push(child);
      if (mode === 'recursive') await descend(child, `${path}/`, depth + 1);
      else warnOfEmpty(fetching.log, child.tree.submodules, `${path}/`, 'recursive');
    }
  };
  await descend({ repository: fetching.main, tree }, '', 1);
  return found;
}

/** Logs that directories are empty, to explain why files in them are missing later. @param value of the variable that fetches them */
function warnOfEmpty(log: JobLog, submodules: readonly Submodule[], at: string, value: string): void {
  const [first, ...others] = submodules;
  if (!first) return;
  const named = `${at}${first.path}`;
  const what =
    others.length === 0
      ? `the submodule ${named} was not fetched: its directory is empty`
      : `${submodules.length} submodules (${named}, ...) were not fetched: their directories are empty`;
  log.line(
    'system',
    `Warning: ${what}. Set the variable ${submodulesVariable}=${value} to fetch what is in it.`,
  );
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
 * Relative URLs are relative to the repository that contains them (gitmodules(5)). If the service uses https, an ssh URL of the same
 * server is converted to https: the service's token works there, and people who work with ssh write such URLs.
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

/** The directory that the checkout created for a submodule: not a link to another one, and empty. */
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
