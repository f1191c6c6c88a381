/** Sessions of the operator and their sign-in links: rows of `api_keys` that no key has created, without any project. */
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { KeyKind } from '../../domain/access/key-levels.ts';
import { apiKeys } from '../schema/api-keys.ts';
import type { Database } from '../sql/database.ts';
import type { ApiKeyRow } from './api-key-store.ts';

/**
 * Inserts a session or a link, and ends the oldest ones above the limit.
 * @param linkId the link that is used up in the same transaction, so it creates one session at most; null if the operator token was sent
 * @returns false if the link was already used: then nothing was inserted
 */
export async function insertOperatorRow(
  db: Database,
  row: ApiKeyRow,
  { linkId, rowsMax }: { linkId: string | null; rowsMax: number },
): Promise<boolean> {
  const now = row.createdAt;
  const isLinkOpen = sql`exists (select 1 from api_keys where id = ${linkId} and revoked_at is null)`;
  const [, withdrawn] = await db.batch([
    db.insert(apiKeys).values(row),
    db.all(sql`delete from api_keys where id = ${row.id} and ${linkId} is not null and not ${isLinkOpen}
      returning id`),
    db.run(sql`update api_keys set revoked_at = ${now} where id = ${linkId} and kind = 'operator-link'`),
    db.run(sql`update api_keys set revoked_at = ${now} where id in (
      select id from api_keys where kind = ${row.kind} and made_by is null and revoked_at is null
      and expires_at > ${now} order by created_at desc, rowid desc limit -1 offset ${rowsMax})`),
  ]);
  return withdrawn.length === 0;
}

/** The open sessions, oldest first. @param now in epoch milliseconds */
export function selectOperatorSessions(db: Database, now: number) {
  const isSession = eq(apiKeys.kind, 'operator' satisfies KeyKind);
  return db
    .select()
    .from(apiKeys)
    .where(and(isSession, isNull(apiKeys.madeBy), isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now)))
    .orderBy(apiKeys.createdAt, apiKeys.id);
}
