/** Reads of members of tenants. A member is a row of `members` and a row of `api_keys` with the same id, which contains the name and the rights. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { projectRoleOf, type RoleInProject } from '../../domain/access/members.ts';
import { apiKeys, members } from '../schema/api-keys.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type MemberRow = typeof members.$inferSelect;

export interface MemberView {
  member: MemberRow;
  name: string;
  allProjects: boolean;
  projectIds: string[];
  /** Roles that replace the member's role in these projects. */
  projectRoles: RoleInProject[];
  lastUsedAt: number | null;
  /** Expiry of the member's newest open link; `null` without one. */
  linkUntil: number | null;
}

/** Plain SQL text: in the selection of a single table, drizzle omits the table of a column. */
const projectIds = sql<string[]>`(
  select json_group_array(project_id) from api_key_projects where api_key_projects.key_id = members.id)`.mapWith(
  (text: string) => JSON.parse(text) as string[],
);
const ownRoles = sql<RoleInProject[]>`(
  select json_group_array(json_array(project_id, level)) from api_key_projects
  where api_key_projects.key_id = members.id and level is not null)`.mapWith((text: string) =>
  (JSON.parse(text) as [string, KeyLevel][]).map(([projectId, level]) => ({
    ...{ projectId, role: projectRoleOf(level) },
  })),
);
const linkUntil = sql<number | null>`(select max(link.expires_at) from api_keys link
  where link.made_by = members.id and link.kind = 'link' and link.revoked_at is null)`;

const views = (db: Database) =>
  db
    .select({
      member: columnsAs(members, 'member'),
      name: sql<string>`${apiKeys.name}`.as('shown_name'),
      allProjects: sql<boolean>`${apiKeys.allProjects}`.mapWith(Boolean).as('sees_all'),
      projectIds: projectIds.as('project_ids'),
      projectRoles: ownRoles.as('own_roles'),
      lastUsedAt: sql<number | null>`${apiKeys.lastUsedAt}`.as('used_at'),
      linkUntil: linkUntil.as('link_until'),
    })
    .from(members)
    .innerJoin(apiKeys, eq(apiKeys.id, members.id));

/** The tenant of the key with this token. */
const tenantOf = (tokenId: string): SQL =>
  sql`(select caller.tenant_id from api_keys caller where caller.token_id = ${tokenId})`;

/** A page of the members of a tenant, oldest first. */
export function selectMembers(db: Database, tenantId: string | SQL, page: Page) {
  const order = { at: members.createdAt, key: members.id };
  const { after, orderBy, limit } = keysetOf(order, 'oldest', page);
  return views(db)
    .where(and(eq(members.tenantId, tenantId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** A page of the members of the caller's tenant. */
export const selectMembersOfCaller = (db: Database, tokenId: string, page: Page) =>
  selectMembers(db, tenantOf(tokenId), page);

/** A member of the caller's tenant. */
export const selectScopedMember = (db: Database, tokenId: string, memberId: string) =>
  views(db)
    .where(and(eq(members.id, memberId), eq(members.tenantId, tenantOf(tokenId))))
    .limit(1);

/** A member of any tenant. */
export const selectMember = (db: Database, memberId: string) =>
  views(db).where(eq(members.id, memberId)).limit(1);

/** The member whose session calls, in a browser or on a command line. */
export const selectMemberByToken = (db: Database, tokenId: string) =>
  db
    .select({ member: columnsAs(members, 'member') })
    .from(members)
    .where(
      sql`${members.id} = (select made_by from api_keys where token_id = ${tokenId} 
        and kind in ('session', 'command-line'))`,
    )
    .limit(1);

/** The member whose browser calls, with the name. */
export const selectMemberViewByToken = (db: Database, tokenId: string) =>
  views(db)
    .where(
      sql`${members.id} = (select made_by from api_keys where token_id = ${tokenId} and kind = 'session')`,
    )
    .limit(1);

/** The role if the token belongs to a member's browser. The session may have ended: authentication checks that. */
export const selectRoleByTokenId = (db: Database, tokenId: string) =>
  db
    .select({ role: members.role })
    .from(members)
    .where(
      sql`${members.id} = (select made_by from api_keys where token_id = ${tokenId} and kind = 'session')`,
    )
    .limit(1);
