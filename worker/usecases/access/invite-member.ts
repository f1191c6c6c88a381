/** Invitations and links of members. A link signs one browser in, once, and the first one accepts the invitation. */

import {
  invitationDays,
  levelOfRole,
  type MemberRole,
  memberLinkHours,
  membersMax,
  type RoleInProject,
} from '../../domain/access/members.ts';
import { absent } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';
import { insertMember, insertMemberLink, type Manager } from '../../store/access/member-change-store.ts';
import type { MemberView } from '../../store/access/member-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { newKeyRow } from './api-keys.ts';
import { chosenProjects, type WantedProjects } from './chosen-projects.ts';
import { orRefused } from './refused-change.ts';

const hourMs = 3_600_000;

export interface Invitation {
  email: string;
  name: string;
  role: MemberRole;
  projects: WantedProjects;
  projectRoles: readonly RoleInProject[];
}

export interface MemberLink {
  code: string;
  expiresAt: number;
}

/**
 * Invites a person. @throws ApiError `conflict` if the address belongs to a member; `invalid_request` for projects that the role or the
 * tenant does not have;
 *   `forbidden` if the caller is no longer an owner; `quota_exceeded`
 */
export async function inviteMember(
  deps: Dependencies,
  by: Manager,
  tenantId: string,
  { email, name, role, projects, projectRoles }: Invitation,
): Promise<{ view: MemberView; link: MemberLink }> {
  const chosen = await chosenProjects(deps, tenantId, role, projects, projectRoles);
  const { allProjects, projectIds, levels } = chosen;
  const [id, createdAt] = [deps.newId('member'), deps.now()];
  // Nobody gets this token: the row only serves as the maker of sessions.
  const { record } = await issueToken(deps.fillRandom, deps.cell);
  const key = newKeyRow({
    ...{ id, kind: 'member', tenantId, name, access: levelOfRole[role], allProjects, ...record },
    ...{ madeBy: null, createdAt, expiresAt: null },
  });
  const member = { id, tenantId, email, role, acceptedAt: null, createdAt };
  const { row, code, expiresAt } = await newLink(deps, member);
  const invitedBy = await orRefused(() =>
    insertMember(deps.db, by, { member, key, link: row, projectIds, levels }, membersMax),
  );
  const view = {
    ...{ member: { ...member, invitedBy }, name, allProjects, projectIds },
    projectRoles: [...projectRoles],
    ...{ lastUsedAt: null, linkUntil: expiresAt },
  };
  return { view, link: { code, expiresAt } };
}

/** Creates a new link for a member and ends the earlier ones. @throws ApiError `not_found` if the member has been removed since; `forbidden` */
export async function makeMemberLink(
  deps: Dependencies,
  by: Manager,
  { member }: Pick<MemberView, 'member'>,
): Promise<MemberLink> {
  const { row, code, expiresAt } = await newLink(deps, member);
  if (await orRefused(() => insertMemberLink(deps.db, by, row))) return { code, expiresAt };
  throw absent('member');
}

async function newLink(
  { fillRandom, cell, newId, now }: Dependencies,
  member: { id: string; tenantId: string; acceptedAt: number | null },
): Promise<MemberLink & { row: ApiKeyRow }> {
  const { token, record } = await issueToken(fillRandom, cell);
  const createdAt = now();
  const hours = member.acceptedAt === null ? invitationDays * 24 : memberLinkHours;
  const expiresAt = createdAt + hours * hourMs;
  const row = newKeyRow({
    ...{ id: newId('key'), kind: 'link', tenantId: member.tenantId, name: 'Sign-in link', ...record },
    // Its session gets the rights that the member has when it opens (store/session-store).
    ...{ access: 'read', allProjects: false, madeBy: member.id, createdAt, expiresAt },
  });
  return { row, code: token, expiresAt };
}
