import { and, asc, eq, isNull, or, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Database } from './database.ts';
import { runners } from './schema/runners.ts';

/** A host that could take a service. */
export interface PlacementCandidate {
  id: string;
  name: string;
  drained: boolean;
  facts: RunnerFacts;
  serviceCount: number;
}

/** The hosts of a tenant and the shared ones, longest enrolled first; without revoked ones. */
export function selectPlacementCandidates(db: Database, tenantId: string) {
  return db
    .select({
      id: runners.id,
      name: runners.name,
      drained: runners.drained,
      facts: runners.facts,
      // Plain text: drizzle leaves out the table of a column in the selection of a single table.
      serviceCount: sql<number>`(select count(*) from services where services.runner_id = runners.id)`.as(
        'service_count',
      ),
    })
    .from(runners)
    .where(and(isNull(runners.revokedAt), or(isNull(runners.tenantId), eq(runners.tenantId, tenantId))))
    .orderBy(asc(runners.createdAt), asc(runners.id));
}
