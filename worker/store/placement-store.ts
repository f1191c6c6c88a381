import { and, asc, eq, isNull, or, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Host } from '../domain/placement.ts';
import { defaultMemoryMb } from '../domain/quotas.ts';
import type { Database } from './database.ts';
import { isConnected } from './runner-store.ts';
import { runners } from './schema/runners.ts';

/** A host that could take a service. */
export interface PlacementCandidate extends Host {
  facts: RunnerFacts;
}

/** The hosts of a tenant and the shared ones, longest enrolled first; without revoked ones. */
export function selectPlacementCandidates(db: Database, tenantId: string) {
  return db
    .select({
      id: runners.id,
      name: runners.name,
      tenantId: runners.tenantId,
      drained: runners.drained,
      connected: isConnected.as('connected'),
      facts: runners.facts,
      // Plain text: drizzle leaves out the table of a column in the selection of a single table.
      memoryMb: sql<number>`facts ->> 'memoryMb'`.as('memory_mb'),
      reservedMb:
        sql<number>`(select coalesce(sum(coalesce(memory_limit_mb, ${defaultMemoryMb})), 0) from services
        where services.runner_id = runners.id or services.next_runner_id = runners.id)`.as('reserved_mb'),
    })
    .from(runners)
    .where(and(isNull(runners.revokedAt), or(isNull(runners.tenantId), eq(runners.tenantId, tenantId))))
    .orderBy(asc(runners.createdAt), asc(runners.id));
}
