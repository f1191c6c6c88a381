/** API keys and the projects that they can access. */
import { and, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { apiKeyProjects, apiKeys } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { tenants } from '../schema/tenants.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { makerOf } from '../sql/scoped-store.ts';
import { isBeyondMaker } from './made-key-store.ts';

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** Condition: the row is neither a session nor a sign-in link (store/session-store). */
const isKey = eq(apiKeys.kind, 'key');

const isOfOperator = inArray(apiKeys.kind, ['operator', 'operator-link']);

/** A key that is not revoked, with the ids of its chosen projects. */
export function selectKeyWithProjects(db: Database, keyId: string) {
  return keysWithProjects(db)
    .where(and(eq(apiKeys.id, keyId), isKey, isNull(apiKeys.revokedAt)))
    .limit(1);
}

const inOrder = { at: apiKeys.createdAt, key: apiKeys.id };

/** A page of the keys that are not revoked, in order of creation. */
export function selectKeysWithProjects(db: Database, page: Page) {
  const { after, orderBy, limit } = keysetOf(inOrder, 'oldest', page);
  return keysWithProjects(db)
    .where(and(isKey, isNull(apiKeys.revokedAt), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** The given projects that belong to the tenant. */
export function selectProjectIds(db: Database, tenantId: string, projectIds: readonly string[]) {
  return db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        eq(projects.tenantId, tenantId),
        sql`${projects.id} in (select value from json_each(${JSON.stringify(projectIds)}))`,
      ),
    );
}

/** The projects of the tenant with one of these ids or slugs. */
export function selectNamedProjects(db: Database, tenantId: string, names: readonly string[]) {
  const given = sql`(select value from json_each(${JSON.stringify(names)}))`;
  return db
    .select({ id: projects.id, slug: projects.slug })
    .from(projects)
    .where(
      and(eq(projects.tenantId, tenantId), sql`(${projects.id} in ${given} or ${projects.slug} in ${given})`),
    );
}

export function selectTenant(db: Database, tenantId: string) {
  return db.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId));
}

/** Inserts a key and its projects in one batch; `projectIds` is empty for a key for all projects. */
export async function insertKey(db: Database, key: ApiKeyRow, projectIds: readonly string[]): Promise<void> {
  await db.batch([db.insert(apiKeys).values(key), insertKeyProjects(db, key.id, projectIds)]);
}

/** @param levels levels of a member that replace the key's level, by project id */
export function insertKeyProjects(
  db: Database,
  keyId: string,
  projectIds: readonly string[],
  levels: Readonly<Record<string, KeyLevel>> = {},
) {
  const rows = [...new Set([...projectIds, ...Object.keys(levels)])].map((id) => [id, levels[id] ?? null]);
  return db.run(sql`insert into ${apiKeyProjects} (key_id, project_id, level)
    select ${keyId}, value ->> 0, value ->> 1 from json_each(${JSON.stringify(rows)})`);
}

/** A key with its projects; `tokenId` belongs to its current token or to the one before the last rotation. */
export function selectKeyByToken(db: Database, tokenId: string) {
  return keysWithProjects(db)
    .where(or(eq(apiKeys.tokenId, tokenId), eq(apiKeys.previousTokenId, tokenId)))
    .limit(1);
}

/** Same as selectKeyByToken, but only for the current token, not for the one before the last rotation. */
export function selectKeyByCurrentToken(db: Database, tokenId: string) {
  return keysWithProjects(db).where(eq(apiKeys.tokenId, tokenId)).limit(1);
}

/** Condition: created by the key with this token, or by the member of the session with this token, and not revoked. */
const isMadeBy = (tokenId: string) => sql`${isKey} and ${apiKeys.revokedAt} is null and ${apiKeys.madeBy} = (
  select case when caller.kind in ('session', 'command-line') then caller.made_by else caller.id end from api_keys caller
  where caller.token_id = ${tokenId} or caller.previous_token_id = ${tokenId})`;

/** A page of the unrevoked keys that the caller has created, oldest first. */
export function selectMadeKeys(db: Database, tokenId: string, page: Page) {
  const { after, orderBy, limit } = keysetOf(inOrder, 'oldest', page);
  return keysWithProjects(db)
    .where(and(isMadeBy(tokenId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** One unrevoked key that the caller has created. */
export function selectMadeKey(db: Database, tokenId: string, keyId: string) {
  return keysWithProjects(db)
    .where(and(eq(apiKeys.id, keyId), isMadeBy(tokenId)))
    .limit(1);
}

/** Number of keys of the same maker that are valid when this key is made, with this key. */
export const liveKeysOf = ({ madeBy, createdAt }: ApiKeyRow) =>
  sql`(select count(*) from api_keys where made_by = ${madeBy} and kind = 'key'
    and revoked_at is null and expires_at > ${createdAt})`;

/**
 * Inserts a key that a key or a member creates, unless the caller was revoked or rotated since its authentication, the maker has created too many,
 * or the maker's rights no longer cover it.
 * @param maker `id` and `tokenId`: of the authenticated key, or session of a member
 * @returns whether it was inserted, and whether the maker's token is still valid
 */
export async function insertMadeKey(
  db: Database,
  key: ApiKeyRow,
  projectIds: readonly string[],
  maker: { id: string; tokenId: string; keysMax: number },
): Promise<{ isInserted: boolean; isMakerLive: boolean }> {
  const isMakerLive = sql`exists (select 1 from api_keys caller join api_keys maker on maker.id = ${key.madeBy}
    where caller.id = ${maker.id} and caller.token_id = ${maker.tokenId}
    and caller.revoked_at is null and maker.revoked_at is null and not ${isBeyondMaker(key.id)})`;
  const live = liveKeysOf(key);
  // One transaction, so that no reader sees the row that is withdrawn.
  const [, , [found], withdrawn] = await db.batch([
    db.insert(apiKeys).values(key),
    insertKeyProjects(db, key.id, projectIds),
    db.all<{ isLive: number }>(sql`select ${isMakerLive} as isLive`),
    db.all(sql`delete from api_keys where id = ${key.id} and (not ${isMakerLive} or ${live} > ${maker.keysMax})
      returning id`),
  ]);
  return { isInserted: withdrawn.length === 0, isMakerLive: found?.isLive === 1 };
}

/** Revokes the keys that a key has created, its sessions and its sign-in links. */
export function revokeMadeKeys(db: Database, makerId: string, revokedAt: number) {
  return db
    .update(apiKeys)
    .set({ revokedAt })
    .where(and(eq(apiKeys.madeBy, makerId), isNull(apiKeys.revokedAt)));
}

/** Deletes short-lived keys, sessions and sign-in links that expired or were revoked before this time. Their makers remain in the audit log. */
export function pruneMadeKeys(db: Database, before: number) {
  return db
    .delete(apiKeys)
    .where(
      and(
        or(isNotNull(apiKeys.madeBy), isOfOperator),
        or(lt(apiKeys.expiresAt, before), and(isNotNull(apiKeys.expiresAt), lt(apiKeys.revokedAt, before))),
      ),
    );
}

export function updateKey(db: Database, keyId: string, changes: Partial<Omit<ApiKeyRow, 'id' | 'tenantId'>>) {
  return db.update(apiKeys).set(changes).where(eq(apiKeys.id, keyId));
}

/**
 * Stores the last use of a key, unless a use after `notAfter` is already stored. `usedAt` is truncated to the minute. Use of a session
 * counts as use of the key that signed in.
 */
export function updateLastUse(db: Database, keyId: string, usedAt: number, notAfter: number) {
  const signedIn = sql`${apiKeys.id} = (select made_by from api_keys made where made.id = ${keyId} and made.kind in ('session', 'command-line'))`;
  return db
    .update(apiKeys)
    .set({ lastUsedAt: usedAt })
    .where(
      and(
        or(eq(apiKeys.id, keyId), signedIn),
        or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, notAfter)),
      ),
    );
}

function keysWithProjects(db: Database) {
  // Plain SQL text: in the selection of a single table, drizzle omits the table of a column.
  const projectIds = sql<string>`(
    select json_group_array(project_id) from api_key_projects where api_key_projects.key_id = api_keys.id
  )`;
  return db
    .select({
      key: columnsAs(apiKeys, 'key'),
      maker: makerOf.as('key_maker'),
      projectIds: projectIds.mapWith((text: string) => JSON.parse(text) as string[]).as('project_ids'),
    })
    .from(apiKeys);
}
