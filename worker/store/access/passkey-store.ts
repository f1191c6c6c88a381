import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm';
import { identities, identityProviders, members, passkeys, usedSignIns } from '../schema/api-keys.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { signsIn } from './identity-store.ts';
import { makersOfSession } from './link-maker-store.ts';

export type PasskeyRow = typeof passkeys.$inferSelect;

/** The member whose session calls. */
const callerOf = (tokenId: string): SQL =>
  sql`(select made_by from api_keys where token_id = ${tokenId} and kind = 'session')`;

/** All passkeys of a member, oldest first; at most `passkeysMax`. */
export const selectPasskeysOf = (db: Database, memberId: string | SQL) =>
  db
    .select()
    .from(passkeys)
    .where(eq(passkeys.memberId, memberId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));

/** The passkeys of the member whose session calls. */
export const selectPasskeysOfCaller = (db: Database, tokenId: string) =>
  selectPasskeysOf(db, callerOf(tokenId));

/** A passkey of the member whose session calls. */
export const selectPasskeyOfCaller = (db: Database, tokenId: string, passkeyId: string) =>
  db
    .select({ passkey: columnsAs(passkeys, 'passkey') })
    .from(passkeys)
    .where(and(eq(passkeys.id, passkeyId), eq(passkeys.memberId, callerOf(tokenId))))
    .limit(1);

export const selectPasskey = (db: Database, passkeyId: string) =>
  db.select().from(passkeys).where(eq(passkeys.id, passkeyId)).limit(1);

/** The passkey with the tenant of its member. */
export const selectPasskeyByCredential = (db: Database, credentialId: string) =>
  db
    .select({ passkey: columnsAs(passkeys, 'passkey'), tenantId: members.tenantId })
    .from(passkeys)
    .innerJoin(members, eq(members.id, passkeys.memberId))
    .where(eq(passkeys.credentialId, credentialId))
    .limit(1);

/** Whether any member has a passkey for this host name, and whether any member has a passkey at all. */
export const selectPasskeyPlaces = (db: Database, rpId: string) =>
  db.all<{ here: number; anywhere: number }>(sql`select
    exists (select 1 from passkeys where rp_id = ${rpId}) as here, exists (select 1 from passkeys) as anywhere`);

/** Other ways to sign in: the providers at which a member signs in, and the other owners, who can create links. */
export const selectOtherWays = (db: Database, memberId: string | SQL) =>
  ({
    providers: db
      .select({ name: identityProviders.name })
      .from(identities)
      .innerJoin(identityProviders, eq(identityProviders.id, identities.providerId))
      .where(and(eq(identities.memberId, memberId), signsIn))
      .orderBy(asc(identityProviders.createdAt)),
    owners: db
      .select({ id: members.id })
      .from(members)
      .where(
        and(
          eq(members.tenantId, sql`(select tenant_id from api_keys where id = ${memberId})`),
          eq(members.role, 'owner'),
          sql`${members.acceptedAt} is not null`,
          ne(members.id, memberId),
        ),
      )
      .limit(1),
  }) as const;

/** The same for the member whose session calls. */
export const selectOtherWaysOfCaller = (db: Database, tokenId: string) =>
  selectOtherWays(db, callerOf(tokenId));

/**
 * Adds a passkey, and marks its challenge as used.
 * @returns nothing was added for `full`: the member has too many; or `ended`: the session has ended since its authentication
 */
export async function insertPasskey(
  db: Database,
  row: PasskeyRow,
  {
    used,
    sessionId,
    passkeysMax,
  }: { used: typeof usedSignIns.$inferInsert; sessionId: string; passkeysMax: number },
): Promise<'inserted' | 'full' | 'ended'> {
  const isOpen = sql`exists (select 1 from api_keys where id = ${sessionId} and made_by = ${row.memberId}
    and revoked_at is null and expires_at > ${row.createdAt})`;
  const [, , , ended, excess] = await db.batch([
    db.insert(usedSignIns).values(used),
    db.insert(passkeys).values(row),
    db.run(sql`update passkeys set linked_by = ${makersOfSession(sessionId)} where id = ${row.id}`),
    db.all(sql`delete from passkeys where id = ${row.id} and not ${isOpen} returning id`),
    db.all(sql`delete from passkeys where id = ${row.id}
      and (select count(*) from passkeys where member_id = ${row.memberId}) > ${passkeysMax} returning id`),
  ]);
  if (ended.length > 0) return 'ended';
  return excess.length > 0 ? 'full' : 'inserted';
}

/** @returns undefined if it has been removed since */
export async function renamePasskey(
  db: Database,
  passkeyId: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  const [row] = await db.update(passkeys).set({ name }).where(eq(passkeys.id, passkeyId)).returning();
  return row;
}

export async function deletePasskey(db: Database, passkeyId: string): Promise<void> {
  await db.delete(passkeys).where(eq(passkeys.id, passkeyId));
}
