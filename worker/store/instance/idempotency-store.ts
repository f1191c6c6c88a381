/** Stored responses to requests with an `Idempotency-Key`. */
import { and, eq, isNull, lte, type SQL } from 'drizzle-orm';
import { idempotencyKeys } from '../schema/audit.ts';
import type { Database } from '../sql/database.ts';

export type IdempotencyRow = typeof idempotencyKeys.$inferSelect;

/** The key of a row: the caller's key and the idempotency key. */
export type IdempotencyName = Pick<IdempotencyRow, 'keyId' | 'idempotencyKey'>;

/** Statements for one batch, in this order: delete an expired row, read the row, claim it if it is free. */
export function claimStatements(
  db: Database,
  wanted: Omit<IdempotencyRow, 'sealedResponse'>,
  { forgottenBefore, leaseEndedBefore }: { forgottenBefore: number; leaseEndedBefore: number },
) {
  const isLost = and(
    isNull(idempotencyKeys.sealedResponse),
    lte(idempotencyKeys.createdAt, leaseEndedBefore),
    eq(idempotencyKeys.requestHash, wanted.requestHash),
  );
  return [
    db.delete(idempotencyKeys).where(and(named(wanted), lte(idempotencyKeys.createdAt, forgottenBefore))),
    db.select().from(idempotencyKeys).where(named(wanted)),
    db
      .insert(idempotencyKeys)
      .values(wanted)
      .onConflictDoUpdate({
        target: [idempotencyKeys.keyId, idempotencyKeys.idempotencyKey],
        set: { createdAt: wanted.createdAt },
        setWhere: isLost as SQL,
      })
      .returning({ createdId: idempotencyKeys.createdId }),
  ] as const;
}

export async function keepResponse(
  db: Database,
  name: IdempotencyName,
  sealedResponse: string,
): Promise<void> {
  await db.update(idempotencyKeys).set({ sealedResponse }).where(named(name));
}

/** Ends the lease, so that a repeat of the request is the next attempt. */
export async function endLease(db: Database, name: IdempotencyName, endedAt: number): Promise<void> {
  await db.update(idempotencyKeys).set({ createdAt: endedAt }).where(stillOpen(name));
}

export async function forgetClaim(db: Database, name: IdempotencyName): Promise<void> {
  await db.delete(idempotencyKeys).where(stillOpen(name));
}

export function pruneIdempotencyKeys(db: Database, before: number) {
  return db.delete(idempotencyKeys).where(lte(idempotencyKeys.createdAt, before));
}

function named({ keyId, idempotencyKey }: IdempotencyName): SQL | undefined {
  return and(eq(idempotencyKeys.keyId, keyId), eq(idempotencyKeys.idempotencyKey, idempotencyKey));
}

function stillOpen(name: IdempotencyName): SQL | undefined {
  return and(named(name), isNull(idempotencyKeys.sealedResponse));
}
