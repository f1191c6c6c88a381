/** Sessions of browsers and command lines, and sign-in links: rows of `api_keys` that were created by a key and end with it. */
import { and, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type KeyKind, sessionKinds } from '../../domain/access/key-levels.ts';
import { apiKeys, type LinkMakers, members } from '../schema/api-keys.ts';
import { tenants } from '../schema/tenants.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import type { ApiKeyRow } from './api-key-store.ts';
import { makersOfOpened } from './link-maker-store.ts';

export interface SessionRow {
  session: ApiKeyRow;
  makers: LinkMaker[];
}

/** A member who created a link that led to a session. */
export interface LinkMaker {
  id: string;
  name: string;
}

/** The authorisation of a new row: the authenticated key, or the link that is used up. */
export interface Permit {
  id: string;
  tokenId: string;
}

/** The columns that an inserted row gets from its maker. */
type Inherited = Pick<ApiKeyRow, 'access' | 'linkedBy'> & { expiresAt: number };

/**
 * Inserts a session or a link, unless its permit has ended since authentication, and ends the oldest ones above the limit. A link is used
 * up in the same transaction, so it creates one session at most. The row ends with its key at the latest, and gets the key's present
 * rights: those of a member may have changed since the link was read. The first session of an invited member accepts the invitation.
 * @returns undefined if it was not inserted
 */
export async function insertMade(
  db: Database,
  row: ApiKeyRow,
  { permit, rowsMax }: { permit: Permit; rowsMax: number },
): Promise<Inherited | undefined> {
  const now = row.createdAt;
  const isPermitted = sql`exists (select 1 from api_keys permit join api_keys maker on maker.id = ${row.madeBy}
    where permit.id = ${permit.id} and permit.token_id = ${permit.tokenId}
    and permit.revoked_at is null and maker.revoked_at is null)`;
  const accepts = row.kind === 'session' ? sql`1` : sql`0`;
  const [, , , [inserted]] = await db.batch([
    db.insert(apiKeys).values(row),
    db.run(sql`insert into api_key_projects (key_id, project_id, level)
      select ${row.id}, project_id, level from api_key_projects where key_id = ${row.madeBy}`),
    db.run(sql`delete from api_keys where id = ${row.id} and not ${isPermitted}`),
    db.all<
      Omit<Inherited, 'linkedBy'> & { linkedBy: string | null }
    >(sql`update api_keys set (expires_at, access, all_projects, linked_by) = (
      select min(api_keys.expires_at, coalesce(maker.expires_at, api_keys.expires_at)), maker.access, maker.all_projects,
        ${makersOfOpened(permit.id, row.madeBy ?? '')}
        from api_keys maker where maker.id = ${row.madeBy})
      where id = ${row.id} returning expires_at as expiresAt, access, linked_by as linkedBy`),
    db.run(sql`update members set accepted_at = ${now} where id = ${row.madeBy} and accepted_at is null
      and ${accepts} and exists (select 1 from api_keys where id = ${row.id})`),
    db.run(sql`update api_keys set revoked_at = ${now} where id = ${permit.id} and kind = 'link'`),
    db.run(sql`update api_keys set revoked_at = ${now} where id in (
      select id from api_keys where made_by = ${row.madeBy} and kind = ${row.kind} and revoked_at is null
      and expires_at > ${now} order by created_at desc, rowid desc limit -1 offset ${rowsMax})`),
  ]);
  if (!inserted) return undefined;
  const { linkedBy } = inserted;
  return { ...inserted, linkedBy: linkedBy === null ? null : (JSON.parse(linkedBy) as LinkMakers) };
}

/** Condition: created by the key that calls, or by the key of the session that calls. */
const isOfCaller = (tokenId: string): SQL => sql`${apiKeys.madeBy} = (
  select case when caller.kind = 'key' then caller.id else caller.made_by end from api_keys caller
  where caller.token_id = ${tokenId} or caller.previous_token_id = ${tokenId})`;

/** A link from another member opens a session too, so it is shown to its member, who can end it. */
const isSession = sql`(${inArray(apiKeys.kind, [...sessionKinds])}
  or (${apiKeys.kind} = ${'link' satisfies KeyKind} and ${apiKeys.linkedBy} is not null))`;

const isOpen = (now: number) => and(isSession, isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now));

/** Plain SQL text: in the selection of a single table, drizzle omits the table of a column. */
const makers = sql<LinkMaker[]>`(select json_group_array(json_object('id', linker.id, 'name', linker.name))
  from json_each(coalesce(api_keys.linked_by, '[]')) one join api_keys linker on linker.id = one.value)`.mapWith(
  (text: string) => JSON.parse(text) as LinkMaker[],
);

const sessions = (db: Database) =>
  db.select({ session: columnsAs(apiKeys, 'session'), makers: makers.as('makers') }).from(apiKeys);

/** The key or member that a link's code or a key would sign in. */
export const selectSignInTarget = (db: Database, tokenId: string) =>
  selectWhose(db, eq(apiKeys.tokenId, tokenId));

/** The key or session and the tenant of an id, unless it was revoked or has expired. */
export const selectKeyHolder = (db: Database, keyId: string, now: number) =>
  selectWhose(
    db,
    and(
      eq(apiKeys.id, keyId),
      isNull(apiKeys.revokedAt),
      or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
    ),
  );

const selectWhose = (db: Database, which: SQL | undefined) => {
  const whose = sql`coalesce(${apiKeys.madeBy}, ${apiKeys.id})`;
  const maker = alias(apiKeys, 'maker');
  return db
    .select({
      name: sql<string>`${maker.name}`.as('whose_name'),
      email: sql<string | null>`${members.email}`.as('whose_email'),
      tenant: sql<string>`${tenants.name}`.as('tenant_name'),
      makers: makers.as('makers'),
    })
    .from(apiKeys)
    .innerJoin(maker, sql`${maker.id} = ${whose}`)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .leftJoin(members, sql`${members.id} = ${whose}`)
    .where(which)
    .limit(1);
};

/** A session that was just opened, with the makers of the links that led to it. */
export const selectOpened = (db: Database, sessionId: string) =>
  sessions(db).where(eq(apiKeys.id, sessionId)).limit(1);

/**
 * The open sessions of the caller's key, and links of others that would open one, oldest first; at most the limit of a key. @param now in epoch
 * milliseconds
 */
export function selectOwnSessions(db: Database, tokenId: string, now: number) {
  return sessions(db)
    .where(and(isOfCaller(tokenId), isOpen(now)))
    .orderBy(apiKeys.createdAt, apiKeys.id);
}

/** The open sessions of any key. */
export function selectSessionsOf(db: Database, keyId: string, now: number) {
  return sessions(db)
    .where(and(eq(apiKeys.madeBy, keyId), isOpen(now)))
    .orderBy(apiKeys.createdAt, apiKeys.id);
}

/** One session of the caller's key, even if it has expired. */
export function selectOwnSession(db: Database, tokenId: string, sessionId: string) {
  return sessions(db)
    .where(and(eq(apiKeys.id, sessionId), isSession, isNull(apiKeys.revokedAt), isOfCaller(tokenId)))
    .limit(1);
}

/** Any session of a key or of the operator, even if it has expired. */
export function selectSession(db: Database, sessionId: string) {
  return sessions(db)
    .where(
      and(
        eq(apiKeys.id, sessionId),
        inArray(apiKeys.kind, [...sessionKinds, 'operator']),
        isNull(apiKeys.revokedAt),
      ),
    )
    .limit(1);
}
