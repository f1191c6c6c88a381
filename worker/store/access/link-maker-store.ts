/**
 * Records which members created links for others, and what resulted from the links: sessions, and the links, passkeys and provider accounts
 * that were added from these. All of it ends with the maker's right to create links, because otherwise a former owner could return as another
 * member.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';

/** The member on whose behalf a session acts: the first one who created a link that led to it, or the session's own member. */
export const actingMember = (sessionId: string): SQL =>
  sql`(select coalesce(linked_by ->> 0, made_by) from api_keys where id = ${sessionId})`;

/** The makers of a link created by a session: the session's makers, then its member. */
export const makersOfLinkFrom = (sessionId: string): SQL =>
  sql`(select case when exists (select 1 from json_each(api_keys.linked_by) where value = api_keys.made_by)
      then api_keys.linked_by else json_insert(coalesce(api_keys.linked_by, '[]'), '$[#]', api_keys.made_by) end
    from api_keys where id = ${sessionId})`;

/** The makers of everything that is added from a session. */
export const makersOfSession = (sessionId: string): SQL =>
  sql`(select linked_by from api_keys where id = ${sessionId})`;

/**
 * The makers of a session that a link opens for a member. The person who accepts an invitation is the member, so the session that
 * accepts it is not the inviter's: links of the inviter do not count, links of others do.
 */
export const makersOfOpened = (linkId: string, memberId: string): SQL =>
  sql`(select case when exists (select 1 from members where id = ${memberId} and accepted_at is null
      and invited_by = link.linked_by ->> 0 and json_array_length(link.linked_by) = 1)
      then null else link.linked_by end
    from api_keys link where link.id = ${linkId})`;

/** Statements that end everything that a member has created for others, at once. @param now in epoch milliseconds */
export function endMadeFor(db: Database, memberId: string, now: number) {
  const hasMaker = (table: string) =>
    sql`exists (select 1 from json_each(${sql.raw(table)}.linked_by) where value = ${memberId})`;
  const tenantId = sql`(select tenant_id from api_keys where id = ${memberId})`;
  const ofTenant = sql`(select id from members where tenant_id = ${tenantId})`;
  return [
    db.run(sql`update api_keys set revoked_at = ${now} where tenant_id = ${tenantId}
      and revoked_at is null and linked_by is not null and ${hasMaker('api_keys')}`),
    db.run(sql`delete from passkeys where member_id in ${ofTenant}
      and linked_by is not null and ${hasMaker('passkeys')}`),
    // The mark remains, so that the address does not link the account again.
    db.run(sql`update identities set removed_at = ${now} where member_id in ${ofTenant}
      and removed_at is null and linked_by is not null and ${hasMaker('identities')}`),
  ];
}
