/** Docker hosts. Their connection is in presence-store.ts. */
import { and, asc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner } from '../sql/host-owner.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type RunnerRow = typeof runners.$inferSelect;

/** Whether a host is connected; for statements on `runners`. */
export const isConnected = sql<boolean>`connected_at is not null`.mapWith(Boolean);

/**
 * Condition: services of tenants other than `tenantId` are on a host, will move to it, were deleted and can still be restored there, or wait
 * for their removal by a task of the host, which stores their data and images until then. For statements on `runners`.
 */
export const isSharedWithOthers = (tenantId: string | SQL) => sql`(exists (select 1 from services others
    join projects theirs on theirs.id = others.project_id
    where (others.runner_id = runners.id or others.next_runner_id = runners.id) and theirs.tenant_id <> ${tenantId})
  or exists (select 1 from deletions kept
    join deleted_rows on deleted_rows.resource_id = kept.resource_id and deleted_rows.source = 'services'
    where deleted_rows.row ->> 'runner_id' = +runners.id and kept.tenant_id <> ${tenantId})
  or exists (select 1 from host_tasks removal where removal.runner_id = runners.id and removal.state = 'pending'
    and removal.task ->> 'kind' <> 'set-hostnames' and removal.tenant_id <> ${tenantId}))`;

/** Condition: the service is on this host, or will move to it. As with its field `runnerId`, it counts for only one host. */
export const isPlacedOn = (host: SQL) =>
  sql`(services.next_runner_id = ${host} or (services.next_runner_id is null and services.runner_id = ${host}))`;

const serviceCount =
  sql<number>`(select count(*) from services where ${isPlacedOn(sql.raw('runners.id'))})`.as('service_count');

export const selectServiceCount = (db: Database, runnerId: string) =>
  db.select({ services: serviceCount }).from(runners).where(eq(runners.id, runnerId));

export async function findRunner(db: Database, runnerId: string): Promise<RunnerRow | undefined> {
  const [row] = await db.select().from(runners).where(eq(runners.id, runnerId));
  return row;
}

/** The key with which requests to a host are sealed. */
export const selectSealingKey = (db: Database, runnerId: string) =>
  db
    .select({ sealingKey: runners.sealingKey })
    .from(runners)
    .where(and(eq(runners.id, runnerId), isNull(runners.revokedAt)));

/** A service's host: its name, facts and connection. @param serviceId a value, or a subquery that may find nothing */
export const selectHostOf = (db: Database, serviceId: SQL) =>
  db
    .select({
      id: runners.id,
      name: runners.name,
      facts: runners.facts,
      connectedAt: runners.connectedAt,
      disconnectedAt: runners.disconnectedAt,
    })
    .from(runners)
    .innerJoin(services, eq(services.runnerId, runners.id))
    .where(eq(services.id, serviceId));

/** The oldest connected host of the operator; undefined if none is connected. */
export async function findConnectedHost(db: Database): Promise<RunnerRow | undefined> {
  const [row] = await db
    .select()
    .from(runners)
    .where(
      sql`${hostOwner} = ${defaultTenantId} and ${runners.connectedAt} is not null and ${runners.revokedAt} is null`,
    )
    .orderBy(asc(runners.createdAt), asc(runners.id))
    .limit(1);
  return row;
}

/** A page of the hosts that are not revoked, oldest first, with the number of services on each. */
export function selectRunners(db: Database, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: runners.createdAt, key: runners.id }, 'oldest', page);
  return db
    .select({ ...getTableColumns(runners), services: serviceCount })
    .from(runners)
    .where(and(isNull(runners.revokedAt), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export interface RunnerChange {
  name?: string | undefined;
  drained?: boolean | undefined;
  /** The new owner. */
  tenantId?: string | undefined;
  shared?: boolean | undefined;
  /** `null` to remove it. */
  trustedRunc?: string | null | undefined;
}

/** @returns undefined if the host is revoked, or would serve one tenant but has services of others; nothing was written then */
export async function updateRunner(
  db: Database,
  runnerId: string,
  change: RunnerChange,
): Promise<RunnerRow | undefined> {
  const { tenantId, shared } = change;
  const owner = tenantId === undefined ? hostOwner : sql`${tenantId}`;
  const servesOneTenant = sql`(${shared === undefined ? sql.raw('runners.shared') : shared ? 1 : 0} or not ${isSharedWithOthers(owner)})`;
  const [row] = await db
    .update(runners)
    .set(change)
    .where(
      and(
        eq(runners.id, runnerId),
        isNull(runners.revokedAt),
        tenantId === undefined && shared === undefined ? undefined : servesOneTenant,
      ),
    )
    .returning();
  return row;
}

/**
 * Revokes a host without services, current or planned, deletes its pending tasks and ends its alerts. A repeat keeps the first time.
 * @returns the services that prevent it, as `<project>/<service>`, at most `shown` names; if the count is 0, the host is revoked
 */
export async function revokeRunner(
  db: Database,
  runnerId: string,
  { at, shown }: { at: number; shown: number },
): Promise<{ count: number; names: string[] }> {
  const here = sql`services.runner_id = ${runnerId} or services.next_runner_id = ${runnerId}`;
  const kept = sql`select row ->> 'slug' as slug, row ->> 'project_id' as project_id from deleted_rows
    where source = 'services' and row ->> 'runner_id' = ${runnerId}`;
  const [[counted], names] = await db.batch([
    db.all<{ count: number }>(
      sql`select (select count(*) from services where ${here}) + (select count(*) from (${kept})) as count`,
    ),
    db.all<{ name: string }>(sql`select projects.slug || '/' || services.slug as name
      from services join projects on projects.id = services.project_id where ${here}
      union all select 'deleted: ' || slug from (${kept}) order by name limit ${shown}`),
    db
      .update(runners)
      .set({ revokedAt: sql`coalesce(${runners.revokedAt}, ${at})` })
      .where(
        and(
          eq(runners.id, runnerId),
          sql`not exists (select 1 from services where ${here}) and not exists (${kept})`,
        ),
      ),
    db.run(sql`delete from host_tasks where runner_id = ${runnerId} and state = 'pending'
      and exists (select 1 from runners where id = ${runnerId} and revoked_at is not null)`),
    // The revoked host would not end the alerts that it raised.
    db.run(sql`update alerts set resolved_at = ${at} where runner_id = ${runnerId} and resolved_at is null
      and exists (select 1 from runners where id = ${runnerId} and revoked_at is not null)`),
  ]);
  return { count: counted?.count ?? 0, names: names.map(({ name }) => name) };
}

/** A host by its id, including revoked ones; for operator routes. */
export function selectRunner(db: Database, runnerId: string) {
  return db
    .select({ runner: columnsAs(runners, 'runner') })
    .from(runners)
    .where(eq(runners.id, runnerId))
    .limit(1);
}
