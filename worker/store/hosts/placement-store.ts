import { and, asc, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Host } from '../../domain/hosts/placement.ts';
import { defaultMemoryMb } from '../../domain/tenants/quotas.ts';
import { runners } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner, isConnected, isSharedWithOthers } from './runner-store.ts';

/** A possible host for a service. */
export type PlacementCandidate = Host;

/** Connected hosts on each side of `start`, and any hosts, in case that none is connected. */
const connectedMax = 12;
const anyMax = 3;

export interface PlacementRequest {
  tenantId: string;
  projectId: string;
  /** The host that the request names. */
  wanted: string | undefined;
  /** A random id of a host. The sample begins there, so that each host has the same chance. */
  start: string;
}

/**
 * The host that the request names, the hosts of the project, and a sample of the open ones: at most 54, half of them the tenant's own. A fleet
 * of up to 12 own and 12 shared hosts is read whole; of a larger one, the best of the sample is nearly as empty as the best of all, and
 * what is read does not grow with the fleet (Mitzenmacher, "The power of two choices in randomized load balancing", 2001).
 */
export function selectPlacementCandidates(db: Database, request: PlacementRequest) {
  const { tenantId, projectId, wanted, start } = request;
  const own = sql`${hostOwner} = ${tenantId}`;
  const shared = sql.raw('shared = 1');
  const samples = [own, shared].flatMap((whose) => [
    sample(sql`${whose} and connected_at is not null and id >= ${start}`, connectedMax),
    sample(sql`${whose} and connected_at is not null and id < ${start}`, connectedMax),
    sample(whose, anyMax),
  ]);
  const ofProject = sql`runners.id in (select runner_id from services where project_id = ${projectId})`;
  const named = sql`runners.id = ${wanted ?? ''}`;
  return selectUsable(db, tenantId, or(named, ofProject, ...samples));
}

const sample = (which: SQL, limit: number): SQL =>
  sql`runners.id in (select id from runners where ${which} and revoked_at is null and drained = 0 order by id limit ${sql.raw(String(limit))})`;

/** Those of the named hosts that the tenant may use. */
export function selectUsableHosts(db: Database, tenantId: string, ids: readonly string[]) {
  return selectUsable(db, tenantId, sql`runners.id in (select value from json_each(${JSON.stringify(ids)}))`);
}

/** Hosts of the tenant and shared ones, without revoked ones, in order of enrolment. */
function selectUsable(db: Database, tenantId: string, which: SQL | undefined) {
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
        sql<number>`(select coalesce(sum(coalesce(memory_limit_mb, ${defaultMemoryMb}) * replicas), 0) from services
        where services.runner_id = runners.id or services.next_runner_id = runners.id)`.as('reserved_mb'),
      isSharedWithOthers: sql<boolean>`${isSharedWithOthers(tenantId)}`.mapWith(Boolean).as('meets_others'),
    })
    .from(runners)
    .where(and(which, isNull(runners.revokedAt), sql`(runners.shared or ${hostOwner} = ${tenantId})`))
    .orderBy(asc(runners.createdAt), asc(runners.id));
}
