/** Device tokens: requests of command lines that wait for a member, and the secrets with which their sessions are renewed. */
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { apiKeys } from '../schema/api-keys.ts';
import { deviceTokens } from '../schema/device-tokens.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';

export type DeviceTokenRow = typeof deviceTokens.$inferSelect;
type WaitingDevice = Pick<DeviceTokenRow, 'tokenId' | 'secretHash' | 'device' | 'createdAt'> & {
  userCodeHash: string;
  address: string;
  expiresAt: number;
};

/** Inserts a request, unless too many wait already. @returns whether it was inserted */
export async function insertWaitingDevice(
  db: Database,
  row: WaitingDevice,
  max: { ofAddress: number; ofAll: number },
): Promise<boolean> {
  const waiting = (which: SQL) => sql`(select count(*) from device_tokens
    where expires_at > ${row.createdAt} and session_id is null and denied_at is null and ${which})`;
  const inserted = await db.all(sql`insert into device_tokens
      (token_id, secret_hash, user_code_hash, device, address, created_at, expires_at)
    select ${row.tokenId}, ${row.secretHash}, ${row.userCodeHash}, ${JSON.stringify(row.device)}, ${row.address},
      ${row.createdAt}, ${row.expiresAt}
    where ${waiting(sql`address = ${row.address}`)} < ${max.ofAddress} and ${waiting(sql`1`)} < ${max.ofAll}
    returning token_id`);
  return inserted.length > 0;
}

/** Condition: a member can still decide. */
const isWaiting = (userCodeHash: string, now: number) =>
  and(
    eq(deviceTokens.userCodeHash, userCodeHash),
    isNull(deviceTokens.sessionId),
    isNull(deviceTokens.deniedAt),
    gt(deviceTokens.expiresAt, now),
  );

/** The request that waits with this code. */
export async function findWaitingDevice(
  db: Database,
  userCodeHash: string,
  now: number,
): Promise<DeviceTokenRow | undefined> {
  const [found] = await db.select().from(deviceTokens).where(isWaiting(userCodeHash, now)).limit(1);
  return found;
}

/** Stores the member's decision about a request. @returns false if it was decided or has expired since */
export async function decideDevice(
  db: Database,
  userCodeHash: string,
  decision: { sessionId: string } | { deniedAt: number },
  now: number,
): Promise<boolean> {
  const decided = await db
    .update(deviceTokens)
    .set(decision)
    .where(isWaiting(userCodeHash, now))
    .returning({ tokenId: deviceTokens.tokenId });
  return decided.length > 0;
}

/** A device token, with the session to which it belongs; `session` is null before the sign-in is allowed. */
export async function findDeviceToken(db: Database, tokenId: string) {
  const [found] = await db
    .select({ device: columnsAs(deviceTokens, 'device'), session: columnsAs(apiKeys, 'session') })
    .from(deviceTokens)
    .leftJoin(apiKeys, eq(apiKeys.id, deviceTokens.sessionId))
    .where(eq(deviceTokens.tokenId, tokenId))
    .limit(1);
  // Without a session, the join returns a row whose columns are all null.
  return found && { ...found, session: found.device.sessionId === null ? null : found.session };
}

/** Stores that a device asked. */
export const notePoll = (db: Database, tokenId: string, polledAt: number) =>
  db.update(deviceTokens).set({ polledAt }).where(eq(deviceTokens.tokenId, tokenId));

/** A new secret of the session, and the device token that replaces the presented one. */
export interface Renewal {
  sessionId: string;
  secretHash: string;
  tokenUntil: number;
  expiresAt: number;
  next: { tokenId: string; secretHash: string };
}

/**
 * Replaces a device token and the session's secret in one transaction. Nothing is replaced if the session has ended since, or if the device token
 * was used and the next one too. While the next one is unused, its answer may have been lost: it is withdrawn, and another one is made.
 * @returns false if nothing was replaced
 */
export async function renewDevice(
  db: Database,
  presentedId: string,
  { sessionId, secretHash, tokenUntil, expiresAt, next }: Renewal,
  now: number,
): Promise<boolean> {
  const isAllowed = sql`exists (select 1 from device_tokens presented
    join api_keys session on session.id = presented.session_id
    join api_keys maker on maker.id = session.made_by
    where presented.token_id = ${presentedId} and session.id = ${sessionId}
      and (presented.used_at is null or (presented.used_at > 0 and not exists (select 1 from device_tokens later
        where later.session_id = ${sessionId} and later.replaces = ${presentedId} and later.used_at > 0)))
      and session.revoked_at is null and maker.revoked_at is null and session.expires_at > ${now})`;
  const isMade = sql`exists (select 1 from device_tokens where token_id = ${next.tokenId})`;
  const [inserted] = await db.batch([
    db.all(sql`insert into device_tokens (token_id, secret_hash, session_id, replaces, created_at)
      select ${next.tokenId}, ${next.secretHash}, ${sessionId}, ${presentedId}, ${now} where ${isAllowed} returning token_id`),
    db.run(sql`update api_keys set secret_hash = ${secretHash}, token_until = ${tokenUntil}, expires_at = ${expiresAt}
      where id = ${sessionId} and ${isMade}`),
    db.run(sql`update device_tokens set used_at = case when token_id = ${presentedId} then ${now} else 0 end
      where session_id = ${sessionId} and used_at is null and token_id <> ${next.tokenId} and ${isMade}`),
  ]);
  return inserted.length > 0;
}

/** Ends a session of which there is a copy, and the keys that its member has created since it began: the copy may have created them. */
export const endCopied = (
  db: Database,
  { id, madeBy, createdAt }: typeof apiKeys.$inferSelect,
  revokedAt: number,
) =>
  db
    .update(apiKeys)
    .set({ revokedAt })
    .where(
      and(
        isNull(apiKeys.revokedAt),
        sql`(${apiKeys.id} = ${id} or (${apiKeys.madeBy} = ${madeBy} and ${apiKeys.kind} = 'key' and ${apiKeys.createdAt} >= ${createdAt}))`,
      ),
    );

/** Deletes requests that have expired; later tokens are deleted with their session. @param now in epoch milliseconds */
export const pruneDeviceTokens = (db: Database, now: number) =>
  db.delete(deviceTokens).where(sql`${deviceTokens.expiresAt} < ${now}`);
