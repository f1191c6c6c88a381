/** TXT records of orders for wildcards (schema/settings). */
import { and, eq, sql } from 'drizzle-orm';
import { challengeRecords } from '../schema/settings.ts';
import type { Database } from '../sql/database.ts';

export type ChallengeRecordRow = typeof challengeRecords.$inferSelect;
export type ChallengeRecordKey = Pick<ChallengeRecordRow, 'providerId' | 'hostname' | 'value'>;

const isRecord = ({ providerId, hostname, value }: ChallengeRecordKey) =>
  and(
    eq(challengeRecords.providerId, providerId),
    eq(challengeRecords.hostname, hostname),
    eq(challengeRecords.value, value),
  );

export function saveChallengeRecord(
  db: Database,
  record: Omit<ChallengeRecordRow, 'removalTriedAt' | 'isWanted'>,
) {
  const { runnerId, createdAt } = record;
  return db
    .insert(challengeRecords)
    .values({ ...record, isWanted: true })
    .onConflictDoUpdate({
      target: [challengeRecords.providerId, challengeRecords.hostname, challengeRecords.value],
      set: { runnerId, createdAt, isWanted: true, removalTriedAt: null },
    });
}

export function deleteChallengeRecord(db: Database, record: ChallengeRecordKey) {
  return db.delete(challengeRecords).where(isRecord(record));
}

/** A wildcard and the value that its host needs now; `null` if it needs none. */
export interface WantedChallenge {
  hostname: string;
  value: string | null;
}

/** This host's records for these wildcards that the host no longer needs. */
export function markUnwanted(
  db: Database,
  runnerId: string,
  wanted: readonly WantedChallenge[],
): Promise<ChallengeRecordRow[]> {
  return db
    .update(challengeRecords)
    .set({ isWanted: false })
    .where(
      sql`runner_id = ${runnerId} and exists (select 1 from json_each(${JSON.stringify(wanted)}) as wish
        where wish.value ->> 'hostname' = challenge_records.hostname and wish.value ->> 'value' is not challenge_records.value)`,
    )
    .returning();
}

/** Longer than any order takes. */
const wantedMsMax = 3_600_000;
/** Wait before another attempt after a provider refused or failed. */
const retryMs = 600_000;

/**
 * A record without an order whose host has reported nothing since, or whose name is no longer on that host: the name was deleted, renamed or
 * moved during an order, and the host no longer reports it.
 */
export async function findStaleChallenge(db: Database, now: number): Promise<ChallengeRecordRow | undefined> {
  const [row] = await db
    .select()
    .from(challengeRecords)
    .where(
      sql`(not is_wanted or created_at < ${now - wantedMsMax} or not exists (select 1 from domains join services on services.id = domains.service_id
        where domains.hostname = challenge_records.hostname
          and challenge_records.runner_id in (services.runner_id, services.next_runner_id))) and coalesce(removal_tried_at, 0) <= ${now - retryMs}`,
    )
    .orderBy(sql`coalesce(removal_tried_at, 0)`, challengeRecords.createdAt)
    .limit(1);
  return row;
}

export function markChallengeRemovalTried(db: Database, record: ChallengeRecordKey, now: number) {
  return db.update(challengeRecords).set({ removalTriedAt: now }).where(isRecord(record));
}

/**
 * The given wildcards that are verified and whose service is on this host, with their tenant. A service that is being moved is on both hosts:
 * the new host orders as soon as it serves, and reports that later.
 */
export function listWildcardsOfHost(db: Database, runnerId: string, hostnames: readonly string[]) {
  return db.all<{
    hostname: string;
    tenantId: string;
  }>(sql`select hostname, tenant_id as tenantId from domains
    join services on services.id = domains.service_id join projects on projects.id = services.project_id
    where (services.runner_id = ${runnerId} or services.next_runner_id = ${runnerId}) and is_proven
      and hostname in (select value from json_each(${JSON.stringify(hostnames)}))`);
}
