import { and, asc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Host } from '../../domain/hosts/placement.ts';
import { defaultMemoryMb } from '../../domain/tenants/quotas.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner } from '../sql/host-owner.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { inScope } from '../sql/scoped-store.ts';
import { isConnected, isPlacedOn, isSharedWithOthers } from './runner-store.ts';

/** A possible host for a service. */
export type PlacementCandidate = Host;

/** Connected hosts to read on each side of `start`. In case none is connected, some others are read as well (`anyMax`). */
const connectedMax = 12;
const anyMax = 3;

export interface PlacementRequest {
  tenantId: string;
  projectId: string;
  /** The host in the request. */
  wanted: string | undefined;
  /** A random id at which the sample of hosts begins, so that each host has the same chance. */
  start: string;
}

/**
 * The host in the request, the hosts of the project, and a sample of the open ones: at most 54, half of them the tenant's own. All hosts of a
 * fleet of up to 12 own and 12 shared hosts are read. In a larger fleet, the best of the sample is nearly as empty as the best of all, and the
 * number of read rows does not grow with the fleet (Mitzenmacher, "The power of two choices in randomized load balancing", 2001).
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

/** The hosts with these ids that the tenant may use. */
export function selectUsableHosts(db: Database, tenantId: string, ids: readonly string[]) {
  return selectUsable(db, tenantId, sql`runners.id in (select value from json_each(${JSON.stringify(ids)}))`);
}

/** Hosts of the tenant and shared ones, without revoked ones, in order of enrolment. */
function selectUsable(db: Database, tenantId: string, which: SQL | undefined) {
  return db
    .select({
      ...placeColumns(tenantId),
      // Plain SQL text: in the selection of a single table, drizzle omits the table of a column.
      memoryMb: sql<number>`facts ->> 'memoryMb'`.as('memory_mb'),
      reservedMb:
        sql<number>`(select coalesce(sum(coalesce(memory_limit_mb, ${defaultMemoryMb}) * replicas), 0) from services
        where services.runner_id = runners.id or services.next_runner_id = runners.id)`.as('reserved_mb'),
    })
    .from(runners)
    .where(and(which, isUsable(tenantId)))
    .orderBy(asc(runners.createdAt), asc(runners.id));
}

/**
 * A page of the hosts that the tenant may use, in order of enrolment, each with the number of services that the caller's token can access
 * there, and whether a port for another one is free.
 */
export function selectUsablePage(
  db: Database,
  { tenantId, tokenId }: { tenantId: string; tokenId: string },
  page: Page,
) {
  const { after, orderBy, limit } = keysetOf({ at: runners.createdAt, key: runners.id }, 'oldest', page);
  const host = sql.raw('runners.id');
  const [first, last] = [sql.raw(`facts ->> '$.webPorts.first'`), sql.raw(`facts ->> '$.webPorts.last'`)];
  const taken = sql`(select count(distinct port) from (${takenPorts(host)}) where port between ${first} and ${last})`;
  const own = db
    .select({ count: sql`count(*)` })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(isPlacedOn(host));
  return db
    .select({
      ...placeColumns(tenantId),
      createdAt: runners.createdAt,
      hasFreePort: sql<boolean>`${taken} <= ${last} - ${first}`.mapWith(Boolean).as('has_free_port'),
      services: sql<number>`${own}`.as('own_services'),
    })
    .from(runners)
    .where(and(isUsable(tenantId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

const isUsable = (tenantId: string) =>
  and(isNull(runners.revokedAt), sql`(runners.shared or ${hostOwner} = ${tenantId})`);

/** The facts that decide whether the tenant may place a service on a host. */
const placeColumns = (tenantId: string) => ({
  id: runners.id,
  name: runners.name,
  tenantId: sql<string>`${hostOwner}`.as('owner'),
  shared: runners.shared,
  drained: runners.drained,
  connected: isConnected.as('connected'),
  facts: runners.facts,
  trustedRunc: runners.trustedRunc,
  isSharedWithOthers: sql<boolean>`${isSharedWithOthers(tenantId)}`.mapWith(Boolean).as('meets_others'),
});

/** Used ports of a host: of services, also reserved ones for a move; of other programs, as the host reports; and ports in `busy`. */
export function takenPorts(runnerId: string | SQL, busy: readonly number[] = []): SQL {
  return sql`select host_port as port from services where runner_id = ${runnerId}
    union all select next_host_port from services where next_runner_id = ${runnerId}
    union all select value from runners host, json_each(host.facts, '$.foreignPorts') where host.id = ${runnerId}
    union all select value from json_each(${JSON.stringify(busy)})`;
}
