import type { OwnKey } from '../../../api/queries.ts';
import { apiKeysText } from '../../../text/operator-text.ts';

export type Level = keyof typeof apiKeysText.levels;
const levels = Object.keys(apiKeysText.levels) as Level[];
const levelOfRole = { viewer: 'read', deployer: 'deploy', developer: 'write' } as const;

/** The levels that a key of the member can have: up to the highest that the member has in any project. The server decides by the projects of the key. */
export function levelsUpTo({ access, member }: Pick<OwnKey, 'access' | 'member'>): Level[] {
  const held = [access, ...(member?.projectRoles ?? []).map(({ role }) => levelOfRole[role])];
  const highest = Math.max(...held.map((level) => (levels as readonly string[]).indexOf(level)));
  return levels.slice(0, highest + 1);
}
