/** TXT records that Longshore created at DNS providers (schema/settings). */
import { and, eq, sql } from 'drizzle-orm';
import { proofRecords } from '../schema/settings.ts';
import type { Database } from '../sql/database.ts';

export type ProofRecordRow = typeof proofRecords.$inferSelect;
export type ProofRecordKey = Pick<ProofRecordRow, 'providerId' | 'tenantId' | 'hostname'>;

const isRecord = ({ providerId, tenantId, hostname }: ProofRecordKey) =>
  and(
    eq(proofRecords.providerId, providerId),
    eq(proofRecords.tenantId, tenantId),
    eq(proofRecords.hostname, hostname),
  );

export function saveProofRecord(db: Database, record: Omit<ProofRecordRow, 'removalTriedAt'>) {
  const { value } = record;
  return db
    .insert(proofRecords)
    .values(record)
    .onConflictDoUpdate({
      target: [proofRecords.providerId, proofRecords.tenantId, proofRecords.hostname],
      set: { value, removalTriedAt: null },
    });
}

export function deleteProofRecord(db: Database, record: ProofRecordKey) {
  return db.delete(proofRecords).where(isRecord(record));
}

/** Wait before another attempt after a provider refused or failed. */
const retryMs = 3_600_000;

/**
 * A record whose domain no longer exists in its tenant, not even as a deleted one that can be restored. The record with the longest wait
 * for an attempt is first.
 */
export async function findStaleProofRecord(db: Database, now: number): Promise<ProofRecordRow | undefined> {
  const [row] = await db
    .select()
    .from(proofRecords)
    .where(
      sql`coalesce(removal_tried_at, 0) <= ${now - retryMs}
        and not exists (select 1 from domains join services on services.id = domains.service_id
          join projects on projects.id = services.project_id
          where domains.hostname = proof_records.hostname and projects.tenant_id = proof_records.tenant_id)
        and not exists (select 1 from deletions join deleted_rows on deleted_rows.resource_id = deletions.resource_id
          where deletions.tenant_id = proof_records.tenant_id and deleted_rows.source = 'domains'
            and row ->> 'hostname' = proof_records.hostname)`,
    )
    .orderBy(sql`coalesce(removal_tried_at, 0)`, proofRecords.createdAt)
    .limit(1);
  return row;
}

export function markRemovalTried(db: Database, record: ProofRecordKey, now: number) {
  return db.update(proofRecords).set({ removalTriedAt: now }).where(isRecord(record));
}
