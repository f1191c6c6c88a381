/**
 * The user's rights in a project: a member may have another role there than elsewhere. The server decides; this hides actions that it would refuse.
 */
import type { OwnKey } from './queries.ts';

type Level = 'deploy' | 'write';

const levelsOfRole = {
  viewer: [],
  deployer: ['deploy'],
  developer: ['deploy', 'write'],
} as const satisfies Record<string, readonly Level[]>;

/** @param projectId undefined: outside of projects */
export function mayIn(key: OwnKey | undefined, projectId: string | null | undefined, level: Level): boolean {
  const own = key?.member?.projectRoles.find((one) => one.projectId === projectId);
  if (own) return (levelsOfRole[own.role] as readonly Level[]).includes(level);
  return key?.may.includes(level) === true;
}
