/** The directories of a repository that can be services of their own: applications, not libraries. */
import { posix } from 'node:path';
import { dockerfileNames } from '../../../protocol/sources/source-files.ts';
import { detect, fitsLanguage } from '../analyzer/detect.ts';
import { directoriesBelow } from '../analyzer/plan-parts.ts';
import { filesBelow, type ProjectFiles } from '../analyzer/project-files.ts';
import type { BuildOverrides } from '../analyzer/provider.ts';

export interface ServiceFolder {
  path: string;
  /** `nextjs`, `python`, `Dockerfile`. */
  what: string;
}

/** Directories that are looked at, and those for which a whole plan is made. */
const directoriesMax = 300;
const plansMax = 30;
const isApart = /(?:^|\/)(?:tests?|__tests__|fixtures|docs?|examples?|scripts|tools|\..*)(?:\/|$)/;

/** @param files the whole repository */
export async function serviceFolders(
  files: ProjectFiles,
  overrides: BuildOverrides,
  foldersMax: number,
): Promise<ServiceFolder[]> {
  const found: ServiceFolder[] = [];
  let plans = 0;
  for (const path of directoriesBelow(files, 2).slice(1, directoriesMax)) {
    if (found.length >= foldersMax || plans >= plansMax) break;
    if (isApart.test(path) || found.some((one) => path.startsWith(`${one.path}/`))) continue;
    const below = filesBelow(files, path);
    if (dockerfileNames.some((name) => below.has(name))) {
      found.push({ path, what: 'Dockerfile' });
      continue;
    }
    if (!fitsLanguage(below)) continue;
    plans += 1;
    const what = await detect({ ...below, around: { files, directory: path } }, overrides).then(
      ({ framework, provider }) => framework ?? provider,
      () => undefined, // a library, or not to be built as it is
    );
    if (what !== undefined) found.push({ path: posix.normalize(path), what });
  }
  return found;
}
