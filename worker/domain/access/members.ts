/** Members of a tenant: people, each with a role. A role is a level of keys, for all projects of the tenant or for some. */
import { z } from 'zod';
import type { KeyLevel } from './key-levels.ts';

export const memberRoles = ['viewer', 'deployer', 'developer', 'owner'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** The level of a member with this role. An owner also manages the members, which no key may do. */
export const levelOfRole: Readonly<Record<MemberRole, KeyLevel>> = {
  viewer: 'read',
  deployer: 'deploy',
  developer: 'write',
  owner: 'destroy',
};

/** Roles in a single project. An owner always owns all projects. */
export const projectRoles = ['viewer', 'deployer', 'developer'] as const satisfies readonly MemberRole[];
export type ProjectRole = (typeof projectRoles)[number];

/** A role in a project that replaces the member's general role there. */
export interface RoleInProject {
  projectId: string;
  role: ProjectRole;
}

export const roleOfLevel = (level: KeyLevel): MemberRole =>
  memberRoles.find((role) => levelOfRole[role] === level) ?? 'viewer';

/** The role in a project that has this level. A single project has no owner. */
export const projectRoleOf = (level: KeyLevel): ProjectRole =>
  projectRoles.find((role) => levelOfRole[role] === level) ?? 'viewer';

/** Members of a tenant, invited ones included. */
export const membersMax = 500;
/** The time in which an invitation can be accepted. */
export const invitationDays = 7;
/** Validity of a link that an owner sends to a member who has already accepted. */
export const memberLinkHours = 24;

const emailMax = 254; // RFC 5321, section 4.5.3.1.3, without the angle brackets

/** In lower case, as addresses are compared. It must be ASCII before it is lowered, because some letters of other scripts become ASCII by that. */
export const memberEmailSchema = z
  .string()
  .trim()
  .max(emailMax, `is too long: at most ${emailMax} characters`)
  .regex(z.regexes.email, 'must be an e-mail address')
  .transform((text) => text.toLowerCase());
