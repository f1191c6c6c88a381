/** The level that counts for a request: a member may have another role in some projects than elsewhere. */

import { includesLevel, type KeyLevel, keyLevels } from '../../domain/access/key-levels.ts';
import type { ProjectLevel } from '../../store/projects/project-level-store.ts';
import { tooLow, tooLowInProject } from '../../usecases/assert-level-in.ts';
import type { Access, AnyRoute } from '../route.ts';

interface LevelOfRequest {
  level: KeyLevel;
  /** It is that of a role in the project of the resource. */
  isOfProject?: true;
}

/**
 * @param access the level of the caller's row
 * @param own the levels of the caller in single projects
 * @param resource what the loader found. Undefined: the answer is 404, unless the caller has the level nowhere
 */
export function levelOfRequest(
  { resource: loader, projectIn }: Pick<AnyRoute, 'resource' | 'projectIn'>,
  access: KeyLevel,
  own: readonly ProjectLevel[],
  resource: unknown,
): LevelOfRequest {
  const all = [access, ...own.map(({ level }) => level)];
  // The body is not known yet: it decides afterwards.
  if (!loader) return { level: projectIn ? (sorted(all).at(-1) ?? access) : access };
  if (resource === undefined) return { level: sorted(all).at(-1) ?? access };
  const kept = loader.levelOf?.(resource);
  if (kept) return { level: kept, isOfProject: true };
  const projectId = projectOf(loader, resource);
  // A loader that does not say whose its resource is must not open more than the caller may anywhere.
  if (projectId === undefined) return { level: sorted(all)[0] ?? access };
  const inProject = own.find((one) => one.projectId === projectId);
  return inProject ? { level: inProject.level, isOfProject: true } : { level: access };
}

function projectOf(loader: NonNullable<AnyRoute['resource']>, resource: unknown): string | null | undefined {
  if (loader.projectOf) return loader.projectOf(resource);
  return (resource as { project?: { id: string } }).project?.id;
}

const sorted = (levels: readonly KeyLevel[]) =>
  levels.toSorted((one, other) => keyLevels.indexOf(one) - keyLevels.indexOf(other));

/** @param isOfProject the level is that of a role in the project of the resource. @throws ApiError `forbidden` */
export function assertLevel(needed: Access, access: KeyLevel, isOfProject = false): void {
  const level = keyLevels.find((one) => one === needed);
  if (level === undefined || includesLevel(access, level)) return;
  if (isOfProject) throw tooLowInProject(access, level);
  throw tooLow(access, level);
}
