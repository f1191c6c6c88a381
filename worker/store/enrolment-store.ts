/** One-time tokens and the runners they make. Only hashes of tokens are known here. */
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Database } from './database.ts';
import { enrolmentTokens, runners } from './schema/runners.ts';

export interface NewEnrolmentToken {
  tokenHash: string;
  tenantId: string | null;
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

/** Those that ended long ago go with it: nobody asks for them any more. */
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
 * Turns a valid token into a runner and uses it up, in one transaction.
 * A repeat with the same token and the same identity key (the first answer was lost) finds the runner it made.
 * @returns the runner's id; undefined when the token is unknown, expired or used by another.
 */
export async function redeemEnrolmentToken(
  db: Database,
  tokenHash: string,
  runner: NewRunner,
): Promise<string | undefined> {
  const { id, name, identityKey, sealingKey, facts, createdAt } = runner;
  const valid = and(
    eq(enrolmentTokens.tokenHash, tokenHash),
    isNull(enrolmentTokens.usedAt),
    gt(enrolmentTokens.expiresAt, createdAt),
  );
  // All columns, in the table's order: that is what drizzle names in an insert from a select.
  const [, , found] = await db.batch([
    db
      .insert(runners)
      .select(sql`select ${id}, tenant_id, coalesce(name, ${name}), ${identityKey}, ${sealingKey},
      ${JSON.stringify(facts)}, 0, null, null, null, ${createdAt} from enrolment_tokens where ${valid}`),
    db.update(enrolmentTokens).set({ usedAt: createdAt }).where(valid),
    db
      .select({ id: runners.id })
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
  return found[0]?.id;
}
