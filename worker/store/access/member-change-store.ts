/**
 * Changes of members of tenants. Each batch begins with guards that make the whole batch fail if an earlier check no longer holds. The
 * guards violate rules of the schema on purpose; check with `violates(error, 'NOT NULL', column)`.
 */
import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { type KeyLevel, keyLevels, sessionKinds } from '../../domain/access/key-levels.ts';
import { levelOfRole, type MemberRole } from '../../domain/access/members.ts';
import { apiKeyProjects, apiKeys, members } from '../schema/api-keys.ts';
import type { Database } from '../sql/database.ts';
import { type ApiKeyRow, insertKeyProjects } from './api-key-store.ts';
import { actingMember, endMadeFor, makersOfLinkFrom } from './link-maker-store.ts';
import { endKeysBeyond } from './made-key-store.ts';
import type { MemberRow } from './member-store.ts';
import { markRemoved } from './sign-in-store.ts';

/** Levels of a member in single projects, by project id. */
export type Levels = Readonly<Record<string, KeyLevel>>;

/** The caller that changes members: an owner's session, or the operator. */
export type Manager = { sessionId: string } | 'operator';

/** Violated if the session no longer belongs to an owner. */
export const notOwnerColumn = 'api_keys.token_id';
/** Violated if a tenant would lose its last owner. */
export const lastOwnerColumn = 'members.role';
/** Violated if a tenant would have too many members. */
export const tooManyColumn = 'tenants.name';

/** The acting member; null for the operator. */
const memberOf = (by: Manager): SQL => (by === 'operator' ? sql`null` : actingMember(by.sessionId));

/** Stores the makers of a link, unless the operator created it. */
const noteMakers = (db: Database, by: Manager, linkId: string) =>
  by === 'operator'
    ? []
    : [db.run(sql`update api_keys set linked_by = ${makersOfLinkFrom(by.sessionId)} where id = ${linkId}`)];

function refuseUnlessOwner(db: Database, by: Manager) {
  const sessionId = by === 'operator' ? '' : by.sessionId;
  return db.run(sql`update api_keys set token_id = null where id = ${sessionId} and not exists (
    select 1 from members join api_keys maker on maker.id = members.id
    where members.id = api_keys.made_by and members.role = 'owner'
      and maker.revoked_at is null and api_keys.revoked_at is null and api_keys.kind = 'session')`);
}

/** The operator may remove the last owner, because the operator can invite another one. */
function refuseWithoutOwner(db: Database, by: Manager | 'member', { id, tenantId }: MemberRow) {
  const applies = by === 'operator' ? sql`0` : sql`1`;
  return db.run(sql`update members set role = null where id = ${id} and role = 'owner' and accepted_at is not null
    and ${applies} and not exists (select 1 from members other where other.tenant_id = ${tenantId} and other.id <> ${id}
      and other.role = 'owner' and other.accepted_at is not null)`);
}

/** Inserts an invited member, and the link with which the invitation is accepted. @returns the inviter; null for the operator */
export async function insertMember(
  db: Database,
  by: Manager,
  row: {
    member: Omit<MemberRow, 'invitedBy'>;
    key: ApiKeyRow;
    link: ApiKeyRow;
    projectIds: readonly string[];
    levels: Levels;
  },
  membersMax: number,
): Promise<string | null> {
  const { member, key, link, projectIds, levels } = row;
  const [, , , [inserted]] = await db.batch([
    refuseUnlessOwner(db, by),
    db.insert(apiKeys).values(key),
    insertKeyProjects(db, key.id, projectIds, levels),
    db
      .insert(members)
      .values({ ...member, invitedBy: memberOf(by) as unknown as string })
      .returning(),
    db.run(sql`update tenants set name = null where id = ${member.tenantId}
      and (select count(*) from members where tenant_id = ${member.tenantId}) > ${membersMax}`),
    db.insert(apiKeys).values(link),
    ...noteMakers(db, by, link.id),
  ]);
  return inserted?.invitedBy ?? null;
}

/** Inserts a link of a member and ends the earlier ones. @returns false if the member was removed at the same time */
export async function insertMemberLink(db: Database, by: Manager, link: ApiKeyRow): Promise<boolean> {
  const isMember = sql`exists (select 1 from members where id = ${link.madeBy})`;
  const [, , , withdrawn] = await db.batch([
    refuseUnlessOwner(db, by),
    db.run(sql`update api_keys set revoked_at = ${link.createdAt}
      where made_by = ${link.madeBy} and kind = 'link' and revoked_at is null`),
    db.insert(apiKeys).values(link),
    db.all(sql`delete from api_keys where id = ${link.id} and not ${isMember} returning id`),
    ...noteMakers(db, by, link.id),
  ]);
  return withdrawn.length === 0;
}

export interface MemberChanges {
  name: string;
  role: MemberRole;
  allProjects: boolean;
  projectIds: readonly string[];
  levels: Levels;
}

/** Changes a member together with all sessions, so that each has the new rights at its next request. Links have no rights of their own. */
export async function updateMember(
  db: Database,
  by: Manager,
  member: MemberRow,
  { name, role, allProjects, projectIds, levels }: MemberChanges,
  now: number,
): Promise<void> {
  const isSession = and(eq(apiKeys.madeBy, member.id), inArray(apiKeys.kind, [...sessionKinds]));
  const rows = sql`(select id from api_keys where id = ${member.id} or (made_by = ${member.id}
    and kind in ('session', 'command-line')))`;
  const isOwner = role === 'owner';
  const inProjects = [...new Set([...projectIds, ...Object.keys(levels)])].map((id) => [
    id,
    levels[id] ?? null,
  ]);
  await db.batch([
    refuseUnlessOwner(db, by),
    ...(isOwner ? [] : [refuseWithoutOwner(db, by, member)]),
    db.update(members).set({ role }).where(eq(members.id, member.id)),
    db.update(apiKeys).set({ name }).where(eq(apiKeys.id, member.id)),
    db
      .update(apiKeys)
      .set({ access: levelOfRole[role], allProjects })
      .where(or(eq(apiKeys.id, member.id), isSession)),
    db.delete(apiKeyProjects).where(sql`${apiKeyProjects.keyId} in ${rows}`),
    db.run(sql`insert into api_key_projects (key_id, project_id, level)
      select row.id, project.value ->> 0, project.value ->> 1
      from api_keys row, json_each(${JSON.stringify(inProjects)}) project where row.id in ${rows}`),
    lowerDeletedLevels(db, member, rows, levelOfRole[role]),
    endKeysBeyond(db, member.id, now),
    ...(isOwner ? [] : [...endInvitationsOf(db, member.id, now), ...endMadeFor(db, member.id, now)]),
  ]);
}

/** Lowers levels in deleted projects that can be restored: none may be above the member's new level. */
function lowerDeletedLevels(db: Database, { tenantId }: MemberRow, rows: SQL, level: KeyLevel) {
  const higher = keyLevels.slice(keyLevels.indexOf(level) + 1);
  return db.run(sql`update deleted_rows set row = json_set(row, '$.level', ${level})
    where resource_id in (select resource_id from deletions where tenant_id = ${tenantId} and kind = 'project')
      and source = 'api_key_projects' and row ->> 'key_id' in ${rows}
      and row ->> 'level' in (select value from json_each(${JSON.stringify(higher)}))`);
}

/**
 * Removes a member: ends the sessions, the links, the invitations that the member sent, and everything that the member created for others by links.
 * @param by `member` if the member leaves
 * @param mark mark of the address, so that the person can't join again without an invitation
 */
export async function deleteMember(
  db: Database,
  by: Manager | 'member',
  member: MemberRow,
  { mark, now }: { mark: string; now: number },
): Promise<void> {
  await db.batch([
    refuseWithoutOwner(db, by, member),
    ...(by === 'member' ? [] : [refuseUnlessOwner(db, by)]),
    ...endInvitationsOf(db, member.id, now),
    ...endMadeFor(db, member.id, now),
    revokeWithMade(db, sql`(${member.id})`, now),
    markRemoved(db, { mark, tenantId: member.tenantId, removedAt: now }),
    db.delete(members).where(eq(members.id, member.id)),
  ]);
}

/** Ends the open invitations that a member sent. */
function endInvitationsOf(db: Database, memberId: string, now: number) {
  const invited = and(eq(members.invitedBy, memberId), isNull(members.acceptedAt));
  const ids = sql`(select id from members where invited_by = ${memberId} and accepted_at is null)`;
  return [revokeWithMade(db, ids, now), db.delete(members).where(invited)];
}

const revokeWithMade = (db: Database, ids: SQL, revokedAt: number) =>
  db
    .update(apiKeys)
    .set({ revokedAt })
    .where(and(isNull(apiKeys.revokedAt), sql`(${apiKeys.id} in ${ids} or ${apiKeys.madeBy} in ${ids})`));
