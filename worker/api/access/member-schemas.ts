/** Bodies and answers of the routes for members. */
import { z } from 'zod';
import { memberEmailSchema, memberRoles, projectRoles } from '../../domain/access/members.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { nextCursor } from '../../http/paging.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { MemberView } from '../../store/access/member-store.ts';
import type { MemberLink } from '../../usecases/access/invite-member.ts';
import { keyProjectsSchema } from '../present/present-key.ts';

/** Maximum number of project roles of one member. */
const rolesMax = 500;

/** Longer than any id, and short enough for a refusal that repeats it. */
const projectIdMax = 100;
export const roleInProject = z.strictObject({
  projectId: z.string().max(projectIdMax).meta(notes.projectId),
  role: z.enum(projectRoles).meta(notes.role),
});
const rolesSchema = z
  .array(roleInProject)
  .max(rolesMax, `has too many entries: at most ${rolesMax}`)
  .refine(
    (roles) => new Set(roles.map(({ projectId }) => projectId)).size === roles.length,
    'names a project twice',
  )
  .describe('Roles in single projects, in place of `role`: more there, or less.');

export const memberSchema = z.strictObject({
  id: idOf('member'),
  name: z.string().meta(notes.name),
  email: z.string().meta(notes.email),
  role: z.enum(memberRoles).meta(notes.role),
  projects: z.union([z.literal('all'), z.array(z.string())]).meta(notes.memberProjects),
  projectRoles: z.array(roleInProject).describe('Roles in single projects, in place of `role`.'),
  invitedBy: z.string().nullable().describe('The member who invited; null: the operator, or nobody.'),
  acceptedAt: timestampSchema.nullable().describe('Null: invited, and not signed in yet.'),
  linkExpiresAt: timestampSchema
    .nullable()
    .describe('End of the open link of the member; null: there is none.'),
  lastUsedAt: timestampSchema.nullable().meta(notes.lastUsedAt),
  createdAt: timestampSchema.meta(notes.createdAt),
});
const linkSchema = z.strictObject({
  path: z.string().describe('Open it below the address of the instance. Shown once.'),
  expiresAt: timestampSchema.meta(notes.expiresAt),
});

export const memberReply = z.strictObject({ member: memberSchema });
export const membersReply = z.strictObject({
  members: z.array(memberSchema).describe('The members, and the open invitations.'),
  ...nextCursor,
});
export const invitedReply = z.strictObject({ member: memberSchema, link: linkSchema });
export const linkReply = z.strictObject({ link: linkSchema });

export const invitationBody = z.strictObject({
  email: memberEmailSchema.meta(notes.email),
  name: nameSchema,
  role: z.enum(memberRoles).meta(notes.role),
  /** If absent: all projects. */
  projects: keyProjectsSchema.default('all').meta(notes.memberProjects),
  projectRoles: rolesSchema.default([]),
});
export const memberBody = z
  .strictObject({
    name: nameSchema.optional(),
    role: z.enum(memberRoles).optional().meta(notes.role),
    projects: keyProjectsSchema.optional().meta(notes.memberProjects),
    /** Replaces all project roles. If absent, roles in projects that the member keeps do not change. */
    projectRoles: rolesSchema.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change');

export function presentMember(
  { member, name, allProjects, projectIds, projectRoles: roles, lastUsedAt, linkUntil }: MemberView,
  now: number,
): z.infer<typeof memberSchema> {
  return {
    id: member.id,
    name,
    email: member.email,
    role: member.role,
    projects: allProjects ? 'all' : projectIds,
    projectRoles: roles,
    invitedBy: member.invitedBy,
    acceptedAt: timestampOrNull(member.acceptedAt),
    linkExpiresAt: linkUntil !== null && linkUntil > now ? timestamp(linkUntil) : null,
    lastUsedAt: timestampOrNull(lastUsedAt),
    createdAt: timestamp(member.createdAt),
  };
}

export const presentLink = ({ code, expiresAt }: MemberLink): z.infer<typeof linkSchema> => ({
  path: `/sign-in#${code}`,
  expiresAt: timestamp(expiresAt),
});
