/** One-time tokens and the runners enrolled with them. Only hashes of tokens are handled here. */
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { enrolmentTokens, runners } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';

export interface NewEnrolmentToken {
  tokenHash: string;
  tenantId: string;
  shared: boolean;
  name: string | null;
  createdAt: number;
  expiresAt: number;
}

export interface NewRunner {
  id: string;
  name: string;
  identityKey: string;
  sealingKey: string;
  facts: RunnerFacts;
  createdAt: number;
}

/** Inserts a token and deletes those that expired long ago. */
export async function insertEnrolmentToken(
  db: Database,
  token: NewEnrolmentToken,
  forgottenBefore: number,
): Promise<void> {
  await db.batch([
    db.insert(enrolmentTokens).values(token),
    db.delete(enrolmentTokens).where(lt(enrolmentTokens.expiresAt, forgottenBefore)),
  ]);
}

export async function tenantExists(db: Database, tenantId: string): Promise<boolean> {
  const rows = await db.all(sql`select 1 from tenants where id = ${tenantId}`);
  return rows.length > 0;
}

/**
 * Turns a valid token into a runner and marks it as used, in one transaction.
 * A repeat with the same token and identity key (after a lost response) finds the same runner.
 * @returns the runner, and whether it is new; undefined if the token is unknown, expired or used by another host
 */
export async function redeemEnrolmentToken(
  db: Database,
  tokenHash: string,
  runner: NewRunner,
): Promise<{ id: string; shared: boolean; isNew: boolean } | undefined> {
  const { id, name, identityKey, sealingKey, facts, createdAt } = runner;
  const valid = and(
    eq(enrolmentTokens.tokenHash, tokenHash),
    isNull(enrolmentTokens.usedAt),
    gt(enrolmentTokens.expiresAt, createdAt),
  );
  // All columns in the order of the table, which drizzle needs for an insert from a select.
  const [, , found] = await db.batch([
    db
      .insert(runners)
      .select(sql`select ${id}, tenant_id, shared, coalesce(name, ${name}), ${identityKey}, ${sealingKey},
      ${JSON.stringify(facts)}, null, 0, null, null, null, null, ${createdAt} from enrolment_tokens where ${valid}`),
    db.update(enrolmentTokens).set({ usedAt: createdAt }).where(valid),
    db
      .select({ id: runners.id, shared: runners.shared })
      .from(runners)
      .innerJoin(enrolmentTokens, eq(enrolmentTokens.usedAt, runners.createdAt))
      .where(
        and(
          eq(enrolmentTokens.tokenHash, tokenHash),
          eq(runners.identityKey, identityKey),
          isNull(runners.revokedAt),
        ),
      ),
  ]);
  return found[0] && { ...found[0], isNew: found[0].id === id };
}
