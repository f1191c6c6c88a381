import type { Initiator } from '../domain/access/initiator.ts';
import { includesLevel, type KeyLevel } from '../domain/access/key-levels.ts';
import { roleOfLevel } from '../domain/access/members.ts';
import { ApiError } from '../domain/errors.ts';
import type { ProjectLevel } from '../store/projects/project-level-store.ts';

/** The levels of a verified caller in projects. */
export interface HeldLevels {
  baseAccess: KeyLevel;
  ownLevels: readonly ProjectLevel[];
  initiator: Initiator;
}

/**
 * Checks a project that a request changes besides the one in its path: authentication has checked the level only in the path's project.
 * @param projectId null for a resource outside of projects
 * @throws ApiError `forbidden`
 */
export function assertLevelIn(held: HeldLevels, projectId: string | null, needed: KeyLevel): void {
  const own = held.ownLevels.find((one) => one.projectId === projectId);
  const level = own?.level ?? held.baseAccess;
  if (includesLevel(level, needed)) return;
  throw projectId === null
    ? tooLow(level, needed, held.initiator.type === 'member')
    : tooLowInProject(level, needed);
}

/** @param level the caller's level outside of projects @param isMember whether the caller is a member, who may not know of keys */
export const tooLow = (level: KeyLevel, needed: KeyLevel, isMember = false): ApiError =>
  new ApiError(
    'forbidden',
    isMember
      ? `Your role is "${roleOfLevel(level)}", and this needs the role "${roleOfLevel(needed)}": ask an owner.`
      : `This key has ${level} access only: the request needs a key with ${needed} access.`,
  );

/** @param level the level of the role in the project */
export const tooLowInProject = (level: KeyLevel, needed: KeyLevel): ApiError =>
  new ApiError(
    'forbidden',
    `Your role in this project is "${roleOfLevel(level)}", with ${level} access only: the request needs ${needed} access there.`,
  );
