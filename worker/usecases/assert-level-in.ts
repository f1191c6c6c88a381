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
 * For a project that a request changes and that its path does not name: authentication has checked the level in that of the path only.
 * @param projectId null: what belongs to no project
 * @throws ApiError `forbidden`
 */
export function assertLevelIn(held: HeldLevels, projectId: string | null, needed: KeyLevel): void {
  const own = held.ownLevels.find((one) => one.projectId === projectId);
  const level = own?.level ?? held.baseAccess;
  if (includesLevel(level, needed)) return;
  throw projectId === null ? tooLow(level, needed) : tooLowInProject(level, needed);
}

/** @param level of the caller outside of projects */
export const tooLow = (level: KeyLevel, needed: KeyLevel): ApiError =>
  new ApiError(
    'forbidden',
    `This key has ${level} access only: the request needs a key with ${needed} access.`,
  );

/** @param level of the role in the project */
export const tooLowInProject = (level: KeyLevel, needed: KeyLevel): ApiError =>
  new ApiError(
    'forbidden',
    `Your role in this project is "${roleOfLevel(level)}", with ${level} access only: the request needs ${needed} access there.`,
  );
