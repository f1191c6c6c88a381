import { includesLevel, type KeyLevel } from '../domain/access/key-levels.ts';
import { roleOfLevel } from '../domain/access/members.ts';
import { ApiError } from '../domain/errors.ts';
import type { ProjectLevel } from '../store/projects/project-level-store.ts';

/** What a verified caller may do in which project. */
export interface HeldLevels {
  baseAccess: KeyLevel;
  ownLevels: readonly ProjectLevel[];
}

/**
 * For a second project that a request changes, and that the caller sees: authentication has checked the level in the first one only.
 * @throws ApiError `forbidden`
 */
export function assertLevelIn(held: HeldLevels, projectId: string, needed: KeyLevel): void {
  const own = held.ownLevels.find((one) => one.projectId === projectId);
  const level = own?.level ?? held.baseAccess;
  if (!includesLevel(level, needed)) throw tooLowInProject(level, needed);
}

/** @param level of the role in the project */
export const tooLowInProject = (level: KeyLevel, needed: KeyLevel): ApiError =>
  new ApiError(
    'forbidden',
    `Your role in this project is "${roleOfLevel(level)}", with ${level} access only: the request needs ${needed} access there.`,
  );
