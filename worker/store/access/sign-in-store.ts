/**
 * Sign-ins with a proof from elsewhere: from a provider or a passkey. Each ends in a sign-in link of the member, which opens one
 * session (session-store), so that all rights still depend on the member's row.
 */
import { and, eq, sql } from 'drizzle-orm';
import { apiKeys, identities, members, passkeys, removedMembers, usedSignIns } from '../schema/api-keys.ts';
import type { Database } from '../sql/database.ts';
import { type ApiKeyRow, insertKeyProjects } from './api-key-store.ts';
import type { IdentityProviderRow } from './identity-provider-store.ts';
import type { MemberRow } from './member-store.ts';

/** Violated by an attempt that has already signed in. */
export const usedColumn = 'used_sign_ins.id';
/** Violated if the member has another identity at the same provider. */
export const otherIdentityColumn = 'identities.member_id';
/** Violated if the device's signature counter has not increased. */
export const counterColumn = 'passkeys.counter';
/** Violated if the tenant would have too many members. */
export const fullColumn = 'tenants.name';

export interface SignInWrites {
  /** The id of the proof, which signs in only once, and its expiry. */
  used?: { id: string; expiresAt: number };
  /** The link of the member, who is checked again. */
  link: ApiKeyRow;
  /** The person who joins without an invitation. */
  joining?:
    | { member: MemberRow; key: ApiKeyRow; projectIds: readonly string[]; membersMax: number }
    | undefined;
  /** The identity to link to the member, or already linked. */
  identity?: typeof identities.$inferInsert | undefined;
  /** The member's passkey that signed, which must still exist. */
  passkey?: { id: string; counter: number; isSynced: boolean } | undefined;
}

/**
 * Writes one sign-in as a whole.
 * @returns false if the member, the identity or the passkey has been removed since: the link is withdrawn
 */
export async function insertSignIn(
  db: Database,
  { used, link, joining, identity, passkey }: SignInWrites,
): Promise<boolean> {
  const isMember = sql`exists (select 1 from members join api_keys maker on maker.id = members.id
    where members.id = ${link.madeBy} and maker.revoked_at is null)`;
  const isThere = passkey ? sql`exists (select 1 from passkeys where id = ${passkey.id})` : sql`1`;
  const results = await db.batch([
    db.run(sql`insert into used_sign_ins (id, expires_at)
      select ${used?.id ?? null}, ${used?.expiresAt ?? null} where ${used ? 1 : 0}`),
    ...(joining ? joins(db, joining) : []),
    ...(identity ? [bind(db, identity)] : []),
    ...(passkey ? [noteUse(db, passkey, link.createdAt)] : []),
    db.insert(apiKeys).values(link),
    noteMakers(db, link.id, { identity, passkey }),
    db.all(sql`delete from api_keys where id = ${link.id}
      and not (${isMember} and ${isThere} and ${isBound(identity)}) returning id`),
  ]);
  return (results.at(-1) as unknown[]).length === 0;
}

/** The link gets the makers of the identity or passkey that proves the sign-in. */
function noteMakers(
  db: Database,
  linkId: string,
  { identity, passkey }: Pick<SignInWrites, 'identity' | 'passkey'>,
) {
  const ofIdentity = identity
    ? sql`(select linked_by from identities where provider_id = ${identity.providerId}
        and issuer = ${identity.issuer} and subject = ${identity.subject})`
    : sql`null`;
  const makers = passkey ? sql`(select linked_by from passkeys where id = ${passkey.id})` : ofIdentity;
  return db.run(sql`update api_keys set linked_by = ${makers} where id = ${linkId}`);
}

const joins = (db: Database, { member, key, projectIds, membersMax }: NonNullable<SignInWrites['joining']>) =>
  [
    db.insert(apiKeys).values(key),
    insertKeyProjects(db, key.id, projectIds),
    db.insert(members).values(member),
    db.run(sql`update tenants set name = null where id = ${member.tenantId}
      and (select count(*) from members where tenant_id = ${member.tenantId}) > ${membersMax}`),
  ] as const;

/** Whether the member can sign in with the identity: another member may have linked it since, or this one may have removed it. */
const isBound = (identity: SignInWrites['identity']) =>
  identity
    ? sql`exists (select 1 from identities where provider_id = ${identity.providerId} and issuer = ${identity.issuer}
        and subject = ${identity.subject} and member_id = ${identity.memberId} and removed_at is null)`
    : sql`1`;

/** An identity of a removed member may belong to another member. */
const bind = (db: Database, identity: typeof identities.$inferInsert) =>
  db
    .insert(identities)
    .values(identity)
    .onConflictDoUpdate({
      target: [identities.providerId, identities.issuer, identities.subject],
      set: {
        memberId: sql`coalesce(${identities.memberId}, excluded.member_id)`,
        removedAt: sql`case when ${identities.memberId} is not null then ${identities.removedAt} end`,
        linkedBy: sql`case when ${identities.memberId} is not null then ${identities.linkedBy} end`,
        lastUsedAt: sql`excluded.last_used_at`,
      },
    });

/** Counters of devices increase with each signature (https://www.w3.org/TR/webauthn-3/#sctn-sign-counter); some devices always send 0. */
const noteUse = (
  db: Database,
  { id, counter, isSynced }: NonNullable<SignInWrites['passkey']>,
  lastUsedAt: number,
) =>
  db
    .update(passkeys)
    .set({
      counter: sql`case when ${counter} > counter or (${counter} = 0 and counter = 0) then ${counter} end`,
      isSynced,
      lastUsedAt,
    })
    .where(eq(passkeys.id, id));

type Provider = Pick<IdentityProviderRow, 'id' | 'issuer' | 'tenantId'>;

/** Reads everything that decides to whom an identity belongs. @param mark of the address; empty if there is none */
export async function readIdentity(
  db: Database,
  { id, issuer, tenantId }: Provider,
  { subject, email, mark }: { subject: string; email: string | null; mark: string },
) {
  const [known, [byEmail], removed] = await db.batch([
    db
      .select({ memberId: identities.memberId, removedAt: identities.removedAt })
      .from(identities)
      .where(
        and(eq(identities.providerId, id), eq(identities.issuer, issuer), eq(identities.subject, subject)),
      ),
    db
      .select({ id: members.id })
      .from(members)
      .where(and(eq(members.tenantId, tenantId), eq(members.email, email ?? ''))),
    db.select({ mark: removedMembers.mark }).from(removedMembers).where(eq(removedMembers.mark, mark)),
  ]);
  return {
    isKnown: known.length > 0,
    memberId: known[0]?.memberId ?? null,
    /** Whether its former member removed it. */
    isUnlinked: known.some(({ memberId, removedAt }) => memberId !== null && removedAt !== null),
    idByEmail: byEmail?.id ?? null,
    wasRemoved: removed.length > 0,
  };
}

/** Stores that the member with this address was removed. */
export const markRemoved = (db: Database, row: typeof removedMembers.$inferInsert) =>
  db.insert(removedMembers).values(row).onConflictDoNothing();

/** Stores that an attempt was finished. @returns false if it was finished before */
export async function insertUsedSignIn(db: Database, row: typeof usedSignIns.$inferInsert): Promise<boolean> {
  const rows = await db.insert(usedSignIns).values(row).onConflictDoNothing().returning();
  return rows.length > 0;
}

/** Deletes attempts that are too old for a repeat. @param now in epoch milliseconds */
export const pruneUsedSignIns = (db: Database, now: number) =>
  db.delete(usedSignIns).where(sql`${usedSignIns.expiresAt} < ${now}`);
