/** Members of a tenant: people, each with a role. A role is a level of keys, for all projects of the tenant or for some. */
import { z } from 'zod';
import type { KeyLevel } from './key-levels.ts';

export const memberRoles = ['viewer', 'deployer', 'developer', 'owner'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** What a member of this role may do. An owner also manages the members, which no key may. */
export const levelOfRole: Readonly<Record<MemberRole, KeyLevel>> = {
  viewer: 'read',
  deployer: 'deploy',
  developer: 'write',
  owner: 'destroy',
};

/** Roles in a single project: an owner is one of all projects. */
export const projectRoles = ['viewer', 'deployer', 'developer'] as const satisfies readonly MemberRole[];
export type ProjectRole = (typeof projectRoles)[number];

/** A role in a project, in place of that of the member. */
export interface RoleInProject {
  projectId: string;
  role: ProjectRole;
}

export const roleOfLevel = (level: KeyLevel): MemberRole =>
  memberRoles.find((role) => levelOfRole[role] === level) ?? 'viewer';

/** The role in a project that has this level. Nobody is an owner of one. */
export const projectRoleOf = (level: KeyLevel): ProjectRole =>
  projectRoles.find((role) => levelOfRole[role] === level) ?? 'viewer';

/** Members of a tenant, invited ones included. */
export const membersMax = 500;
/** The time in which an invitation can be accepted. */
export const invitationDays = 7;
/** The time in which a link works that an owner sends to a member who has already accepted. */
export const memberLinkHours = 24;

const emailMax = 254; // RFC 5321, section 4.5.3.1.3, without the angle brackets

/** In lower case, as addresses are compared. It is ASCII before it is lowered: some letters of other scripts become ASCII only then. */
export const memberEmailSchema = z
  .string()
  .trim()
  .max(emailMax, `is too long: at most ${emailMax} characters`)
  .regex(z.regexes.email, 'must be an e-mail address')
  .transform((text) => text.toLowerCase());
