/** Changes of members. They apply to all sessions of the member from the next request on. */

import type { MemberRole, RoleInProject } from '../../domain/access/members.ts';
import { absent } from '../../domain/errors.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { deleteMember, type Manager, updateMember } from '../../store/access/member-change-store.ts';
import { type MemberView, selectMember } from '../../store/access/member-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { chosenProjects, type WantedProjects } from './chosen-projects.ts';
import { orRefused } from './refused-change.ts';

export interface WantedChanges {
  name?: string | undefined;
  role?: MemberRole | undefined;
  projects?: WantedProjects | undefined;
  /** Replaces all project roles. If absent: roles remain in projects that the member can still see. */
  projectRoles?: readonly RoleInProject[] | undefined;
}

/**
 * Changes the name, the role, the projects or the roles in them. A new owner gets all projects.
 * @throws ApiError `conflict` for the last owner, unless the operator calls; `invalid_request` as for invitations; `forbidden`
 */
export async function changeMember(
  deps: Dependencies,
  by: Manager,
  view: MemberView,
  wanted: WantedChanges,
): Promise<MemberView> {
  const { member } = view;
  const role = wanted.role ?? member.role;
  const current = view.allProjects ? 'all' : view.projectIds;
  const becomesOwner = wanted.role === 'owner' && wanted.projects === undefined;
  const projects = becomesOwner ? 'all' : (wanted.projects ?? current);
  const stay = view.projectRoles.filter((one) => projects === 'all' || projects.includes(one.projectId));
  const roles = wanted.projectRoles ?? (role === 'owner' ? [] : stay);
  const chosen = await chosenProjects(deps, member.tenantId, role, projects, roles);
  const changes = { name: wanted.name ?? view.name, role, ...chosen };
  await orRefused(() => updateMember(deps.db, by, member, changes, deps.now()));
  const [[changed]] = await deps.db.batch([selectMember(deps.db, member.id)]);
  if (!changed) throw absent('member');
  return changed;
}

/**
 * Removes a member, or withdraws an invitation.
 * @param by `member` if the member leaves
 * @throws ApiError `conflict` for the last owner, unless the operator calls; `forbidden`
 */
export async function removeMember(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  by: Manager | 'member',
  { member }: Pick<MemberView, 'member'>,
): Promise<void> {
  const mark = await removedMark(member.tenantId, member.email);
  await orRefused(() => deleteMember(db, by, member, { mark, now: now() }));
}

/** The mark that remains of a removed member's address: enough to recognise the address, without storing it. */
export const removedMark = (tenantId: string, email: string): Promise<string> =>
  sha256Hex(`longshore-removed-member-v1\n${tenantId}\n${email}`);
