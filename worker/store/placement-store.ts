import { and, asc, isNull, sql } from 'drizzle-orm';
import type { Host } from '../domain/placement.ts';
import { defaultMemoryMb } from '../domain/quotas.ts';
import type { Database } from './database.ts';
import { hostOwner, isConnected, isSharedWithOthers } from './runner-store.ts';
import { runners } from './schema/runners.ts';

/** A possible host for a service. */
export type PlacementCandidate = Host;

/** The tenant's own hosts and the shared ones, without revoked ones, in order of enrolment. */
export function selectPlacementCandidates(db: Database, tenantId: string) {
  return db
    .select({
      id: runners.id,
      name: runners.name,
      tenantId: sql<string>`${hostOwner}`.as('owner'),
      shared: runners.shared,
      drained: runners.drained,
      connected: isConnected.as('connected'),
      facts: runners.facts,
      trustedRunc: runners.trustedRunc,
      // Plain SQL text: in the selection of a single table, drizzle omits the table of a column.
      memoryMb: sql<number>`facts ->> 'memoryMb'`.as('memory_mb'),
      reservedMb:
        sql<number>`(select coalesce(sum(coalesce(memory_limit_mb, ${defaultMemoryMb})), 0) from services
        where services.runner_id = runners.id or services.next_runner_id = runners.id)`.as('reserved_mb'),
      isSharedWithOthers: sql<boolean>`${isSharedWithOthers(tenantId)}`.mapWith(Boolean).as('meets_others'),
    })
    .from(runners)
    .where(and(isNull(runners.revokedAt), sql`(runners.shared or ${hostOwner} = ${tenantId})`))
    .orderBy(asc(runners.createdAt), asc(runners.id));
}
