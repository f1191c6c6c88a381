/** Accounts at providers with which members sign in, for reads and changes by the members themselves. */
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { identities, identityProviders } from '../schema/api-keys.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { makersOfSession } from './link-maker-store.ts';

export type IdentityRow = typeof identities.$inferSelect;

/** Condition: the identity's member can sign in with it. The operator may have changed the issuer since, or disabled the provider. */
export const signsIn: SQL = sql`(${identities.removedAt} is null and ${identities.issuer} = ${identityProviders.issuer}
  and ${identityProviders.enabled})`;

/** The member whose session calls. */
const callerOf = (tokenId: string): SQL =>
  sql`(select made_by from api_keys where token_id = ${tokenId} and kind = 'session')`;

export interface IdentityView {
  identity: IdentityRow;
  name: string;
  kind: (typeof identityProviders.$inferSelect)['kind'];
  isUsable: boolean;
}

const views = (db: Database) =>
  db
    .select({
      identity: columnsAs(identities, 'identity'),
      name: sql<string>`${identityProviders.name}`.as('provider_name'),
      kind: sql<IdentityView['kind']>`${identityProviders.kind}`.as('provider_kind'),
      isUsable: sql<boolean>`${signsIn}`.mapWith(Boolean).as('is_usable'),
    })
    .from(identities)
    .innerJoin(identityProviders, eq(identityProviders.id, identities.providerId));

/** The identities of the member whose session calls, in order of the providers; at most one at each. */
export const selectIdentitiesOfCaller = (db: Database, tokenId: string) =>
  views(db)
    .where(and(eq(identities.memberId, callerOf(tokenId)), isNull(identities.removedAt)))
    .orderBy(asc(identityProviders.createdAt), asc(identityProviders.id));

/** An identity of the member whose session calls. */
export const selectIdentityOfCaller = (db: Database, tokenId: string, identityId: string) =>
  views(db)
    .where(
      and(
        eq(identities.id, identityId),
        eq(identities.memberId, callerOf(tokenId)),
        isNull(identities.removedAt),
      ),
    )
    .limit(1);

export const selectIdentity = (db: Database, identityId: string) =>
  views(db)
    .where(and(eq(identities.id, identityId), isNull(identities.removedAt)))
    .limit(1);

/** Providers of the caller's tenant where members sign in, in order of connection. */
export const selectProvidersOfCaller = (db: Database, tokenId: string) =>
  db
    .select({ id: identityProviders.id, kind: identityProviders.kind, name: identityProviders.name })
    .from(identityProviders)
    .where(
      and(
        eq(identityProviders.enabled, true),
        sql`${identityProviders.tenantId} = (select tenant_id from api_keys where token_id = ${tokenId})`,
      ),
    )
    .orderBy(asc(identityProviders.createdAt), asc(identityProviders.id));

/**
 * Links an unused identity to the member, unless the session has ended since its authentication, and marks the attempt as used. It replaces
 * an identity that the member removed at this provider earlier, or had there under another issuer.
 * @returns undefined if nothing was linked: the identity belongs to a member, or the session has ended
 */
export async function linkIdentity(
  db: Database,
  identity: IdentityRow & { memberId: string },
  sessionId: string,
): Promise<IdentityRow | undefined> {
  const { id, providerId, issuer, subject, memberId, createdAt: at } = identity;
  const isOpen = sql`exists (select 1 from api_keys where id = ${sessionId} and made_by = ${memberId}
    and revoked_at is null and expires_at > ${at})`;
  const isOfOther = sql`exists (select 1 from identities other where other.provider_id = ${providerId}
    and other.issuer = ${issuer} and other.subject = ${subject}
    and other.member_id <> ${memberId} and other.removed_at is null)`;
  const [, linked] = await db.batch([
    db.run(sql`delete from identities where member_id = ${memberId} and provider_id = ${providerId}
      and (removed_at is not null or issuer <> ${issuer}) and ${isOpen} and not ${isOfOther}`),
    db.all<{ id: string }>(sql`insert into identities
        (id, provider_id, issuer, subject, member_id, linked_by, created_at, last_used_at)
      select ${id}, ${providerId}, ${issuer}, ${subject}, ${memberId}, ${makersOfSession(sessionId)}, ${at}, ${at}
        where ${isOpen}
      on conflict (provider_id, issuer, subject) do update set id = excluded.id, member_id = excluded.member_id,
        linked_by = excluded.linked_by, created_at = excluded.created_at, last_used_at = excluded.last_used_at, removed_at = null
        where identities.member_id is null or identities.removed_at is not null
      returning id`),
  ]);
  return linked.length > 0 ? identity : undefined;
}

/** The member to whom an identity belongs; null if it belongs to none. */
export async function readIdentityOwner(
  db: Database,
  { providerId, issuer, subject }: Pick<IdentityRow, 'providerId' | 'issuer' | 'subject'>,
): Promise<string | null> {
  const [row] = await db
    .select({ memberId: identities.memberId })
    .from(identities)
    .where(
      and(
        eq(identities.providerId, providerId),
        eq(identities.issuer, issuer),
        eq(identities.subject, subject),
        isNull(identities.removedAt),
      ),
    );
  return row?.memberId ?? null;
}

/** @param at in epoch milliseconds */
export async function removeIdentity(db: Database, identityId: string, at: number): Promise<void> {
  await db
    .update(identities)
    .set({ removedAt: at })
    .where(and(eq(identities.id, identityId), isNull(identities.removedAt)));
}
