/** The level that applies to a request: a member may have another role in some projects than elsewhere. */

import {
  includesLevel,
  type KeyKind,
  type KeyLevel,
  keyLevels,
  sessionKinds,
} from '../../domain/access/key-levels.ts';
import type { MemberRole } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';
import type { ProjectLevel } from '../../store/projects/project-level-store.ts';
import { tooLow, tooLowInProject } from '../../usecases/assert-level-in.ts';
import type { Access, AnyRoute, Principal } from '../route.ts';

interface LevelOfRequest {
  level: KeyLevel;
  /** Whether the level is that of a role in the resource's project. */
  isOfProject?: true;
}

/**
 * @param access the level of the caller's row
 * @param own the levels of the caller in single projects
 * @param resource the loaded resource. If undefined, the answer is 404, unless the caller has the level nowhere
 */
export function levelOfRequest(
  { resource: loader, projectIn }: Pick<AnyRoute, 'resource' | 'projectIn'>,
  access: KeyLevel,
  own: readonly ProjectLevel[],
  resource: unknown,
): LevelOfRequest {
  const all = [access, ...own.map(({ level }) => level)];
  // The body, which decides the project, is not parsed yet: its check follows later.
  if (!loader) return { level: projectIn ? (sorted(all).at(-1) ?? access) : access };
  if (resource === undefined) return { level: sorted(all).at(-1) ?? access };
  const kept = loader.levelOf?.(resource);
  if (kept) return { level: kept, isOfProject: true };
  const projectId = projectOf(loader, resource);
  // A loader without a project must not grant more than the caller's lowest level.
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

/** @param caller.isOfProject whether the level is that of a role in the resource's project @throws ApiError `forbidden` */
export function assertLevel(
  needed: Access,
  access: KeyLevel,
  { isOfProject, isMember }: { isOfProject: boolean; isMember: boolean },
): void {
  const level = keyLevels.find((one) => one === needed);
  if (level === undefined || includesLevel(access, level)) return;
  if (isOfProject) throw tooLowInProject(access, level);
  throw tooLow(access, level, isMember);
}

type Needed = Pick<AnyRoute, 'access'>;

/** Routes that are open only to members' sessions, and to no key. */
export const isForMembers = ({ access }: Needed): boolean => access === 'member' || access === 'owner';

/** @param role undefined if the caller is no member's browser @throws ApiError `forbidden` */
export function assertMember({ access }: Needed, role: MemberRole | undefined, kind?: KeyKind): void {
  if (kind === 'command-line')
    throw new ApiError(
      'forbidden',
      'This changes who has access, so it needs a browser of the member: a command line is not enough. Use the dashboard.',
    );
  if (access === 'owner' && role !== 'owner')
    throw new ApiError(
      'forbidden',
      'This route needs the session of a member who is an owner: a key is not enough.',
    );
  if (role === undefined)
    throw new ApiError('forbidden', 'This route needs the session of a member: a key is not enough.');
}

/** Refuses what would outlast a key that another key has made, or a session. @throws ApiError `forbidden` */
export function assertLasting(
  route: Pick<AnyRoute, 'onlyLastingKeys' | 'takesMembers' | 'takesOwners' | 'takesBrowsers'>,
  principal: Principal,
  { key, role }: { key?: Pick<ApiKeyRow, 'kind' | 'madeBy'>; role?: MemberRole | undefined },
): void {
  if (route.onlyLastingKeys && principal.kind === 'operator' && principal.row?.kind === 'operator') {
    throw new ApiError('forbidden', 'A session of the operator cannot open others: use the operator token.');
  }
  const asMember = route.takesMembers && isOfMember(principal, key?.kind);
  const isBrowser = key?.kind === 'session';
  const asOwner = (route.takesOwners || route.takesBrowsers) && role === 'owner' && isBrowser;
  const asKey = route.takesBrowsers && isBrowser && isOfKey(principal);
  if (route.onlyLastingKeys && key?.madeBy && key.kind !== 'link' && !asMember && !asOwner && !asKey) {
    if (route.takesOwners || route.takesBrowsers)
      throw new ApiError(
        'forbidden',
        'What this creates outlasts the session or key that creates it: it needs the browser of a member who is an owner, or a key that the operator created.',
      );
    throw new ApiError(
      'forbidden',
      'This key or session was created by another one and ends with it, so it cannot create keys or what outlasts it: use a key that the operator created.',
    );
  }
}

const isOfKey = (principal: Principal): boolean =>
  principal.kind === 'key' && principal.initiator.type !== 'member';

/** Whether the caller is a member's session, in a browser or on a command line, and not a key of the member. */
const isOfMember = (principal: Principal, kind: KeyKind | undefined): boolean =>
  principal.kind === 'key' &&
  principal.initiator.type === 'member' &&
  sessionKinds.some((one) => one === kind);
