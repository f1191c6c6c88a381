/** One-time tokens and the runners they make. Only hashes of tokens are known here. */
import { sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Database } from './database.ts';
import { enrolmentTokens } from './schema/runners.ts';

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

export async function insertEnrolmentToken(db: Database, token: NewEnrolmentToken): Promise<void> {
  await db.insert(enrolmentTokens).values(token);
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
  const valid = sql`token_hash = ${tokenHash} and used_at is null and expires_at > ${createdAt}`;
  const [, , found] = await db.batch([
    db.run(sql`insert into runners (id, tenant_id, name, identity_key, sealing_key, facts, drained, created_at)
      select ${id}, tenant_id, coalesce(name, ${name}), ${identityKey}, ${sealingKey}, ${JSON.stringify(facts)}, 0, ${createdAt}
      from enrolment_tokens where ${valid}`),
    db.run(sql`update enrolment_tokens set used_at = ${createdAt} where ${valid}`),
    db.all<{ id: string }>(sql`select runners.id from runners
      join enrolment_tokens on enrolment_tokens.used_at = runners.created_at
      where enrolment_tokens.token_hash = ${tokenHash} and runners.identity_key = ${identityKey}
        and runners.revoked_at is null`),
  ]);
  return found[0]?.id;
}
