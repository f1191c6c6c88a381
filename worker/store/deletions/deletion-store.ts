/** Deletions: the deleted rows are stored until they are restored or purged. Each of these is one batch, so exactly one of them wins. */
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { keptQuotas } from '../../domain/tenants/quotas.ts';
import { raiseDeletionEvent } from '../alerts/event-store.ts';
import { levelInDeleted } from '../projects/project-level-store.ts';
import { refuseOverQuota } from '../projects/tenant-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { deletedRows, deletions } from '../schema/deletions.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { archiveRows, type Deleted, serviceIdsOf } from '../sql/row-archive.ts';

export type DeletionRow = typeof deletions.$inferSelect;

export interface NewDeletion {
  deleted: Deleted;
  resourceId: string;
  /** Id of the event that reports the deletion. */
  eventId: string;
  /** Who deletes. */
  by: Initiator;
  at: number;
  restorableUntil: number;
  /** Of services and projects: nothing is kept if none of the services was ever deployed. */
  purgesUnused?: boolean;
}

/** A stored deletion, and the end of the time for its restore. */
export type KeptDeletion = Pick<DeletionRow, 'kind' | 'serviceId'> & { until: number };

/**
 * Statements that store the rows which the same batch deletes later; they follow `insertDeletion`. Unfinished work ends first, because a
 * restore must not bring back a job that no host has. The batch fails (`overQuotaColumn`) if the stored rows then exceed the tenant's
 * quotas, unless nothing is stored.
 */
export function keepRows(db: Database, { deleted, resourceId, eventId, by, at }: NewDeletion) {
  const work = 'serviceId' in deleted || 'projectId' in deleted ? endWork(db, serviceIdsOf(deleted), at) : [];
  const keeper = sql`(select kept.tenant_id from deletions kept where kept.resource_id = ${resourceId} and kept.restorable_until > ${at})`;
  return [
    ...work,
    ...archiveRows(db, resourceId, deleted),
    db.run(sql`update deletions set row_bytes = (select coalesce(sum(octet_length(row)), 0) from deleted_rows
      where deleted_rows.resource_id = deletions.resource_id) where resource_id = ${resourceId}`),
    refuseOverQuota(db, keeper, keptQuotas),
    raiseDeletionEvent(db, { id: eventId, resourceId, what: 'deleted', by, at }),
  ] as const;
}

/** Removal time of the tenant's oldest deletion; null if there is none. */
export async function findOldestDeletion(db: Database, tenantId: string): Promise<number | null> {
  const [row] = await db.all<{ until: number | null }>(
    sql`select min(restorable_until) as until from deletions where tenant_id = ${tenantId}`,
  );
  return row?.until ?? null;
}

const reason = 'The service was deleted meanwhile.';

/** Ends jobs, deployments, backups, restores, imports, upgrades, drills and commands of these services, and marks running services as stopped. */
function endWork(db: Database, ids: SQL, at: number) {
  const open = sql`service_id in ${ids} and status = 'running'`;
  return [
    db.run(sql`update jobs set state = 'aborted', abort_requested_at = coalesce(abort_requested_at, ${at}), finished_at = ${at}
      where service_id in ${ids} and state in ('queued', 'active')`),
    db.run(sql`update deployments set status = iif(status = 'running', 'superseded', 'aborted'),
      finished_at = coalesce(finished_at, ${at})
      where service_id in ${ids} and status in ('queued', 'building', 'running')`),
    db.run(
      sql`update backups set status = 'failed', error = ${reason}, progress = null, finished_at = ${at} where ${open}`,
    ),
    db.run(
      sql`update restores set status = 'failed', error = ${reason}, progress = null, finished_at = ${at} where ${open}`,
    ),
    db.run(sql`update imports set status = 'failed', error = ${reason}, progress = null, sealed_source = null, finished_at = ${at}
      where ${open}`),
    db.run(sql`update database_upgrades set status = 'failed', error = ${reason}, progress = null, finished_at = ${at}
      where ${open}`),
    db.run(
      sql`update drills set status = 'aborted', error = ${reason}, progress = null, finished_at = ${at} where ${open}`,
    ),
    db.run(sql`update runs set status = 'aborted', error = ${reason}, finished_at = ${at}
      where service_id in ${ids} and status in ('queued', 'running')`),
    db.run(sql`update services set status = 'idle', stopped = 0, crashed = 0, trouble = null, sleep = null, reachable = 0, next_runner_id = null,
      next_host_port = null, routes_revision = routes_revision + 1 where id in ${ids}`),
  ];
}

/** A deletion is stored at least as long as earlier deletions that can only be restored together with it. @returns that time */
export function insertDeletion(db: Database, deletion: NewDeletion) {
  const { deleted, resourceId, at } = deletion;
  const until = sql`max(${ownTime(deletion)}, coalesce(
    (select max(parts.restorable_until) from deletions parts where ${resourceId} in (parts.project_id, parts.service_id)), 0))`;
  const { kind, from } = originOf(deleted);
  return db.all<KeptDeletion>(sql`
    insert into deletions (resource_id, kind, tenant_id, project_id, service_id, runner_id, name, project_name, deleted_at, restorable_until)
    select ${resourceId}, ${kind}, projects.tenant_id, projects.id, services.id, services.runner_id,
      coalesce(services.name, projects.name), projects.name, ${at}, ${until}
    from ${from} returning kind, service_id as serviceId, restorable_until as until`);
}

/** How long it is stored for itself. The row of the service still exists. */
function ownTime({ deleted, at, restorableUntil, purgesUnused }: NewDeletion): SQL {
  if (!purgesUnused || !('serviceId' in deleted || 'projectId' in deleted)) return sql`${restorableUntil}`;
  const ids = serviceIdsOf(deleted);
  return sql`iif(exists (select 1 from deployments where service_id in ${ids}), ${restorableUntil}, ${at})`;
}

function originOf(deleted: Deleted): { kind: DeletionRow['kind']; from: SQL } {
  if ('projectId' in deleted) {
    const none = sql`(select null as id, null as runner_id, null as name) as services`;
    return { kind: 'project', from: sql`projects, ${none} where projects.id = ${deleted.projectId}` };
  }
  const placed = sql`services join projects on projects.id = services.project_id`;
  if ('serviceId' in deleted)
    return { kind: 'service', from: sql`${placed} where services.id = ${deleted.serviceId}` };
  if ('volumeId' in deleted) {
    return {
      kind: 'volume',
      from: sql`${placed} join volumes on volumes.service_id = services.id
        where volumes.id = ${deleted.volumeId} and services.protected = 0`,
    };
  }
  return {
    kind: 'backup',
    from: sql`${placed} join backups on backups.service_id = services.id
      where backups.id = ${deleted.backupId} and backups.removing_until = ${deleted.claimedUntil} and services.protected = 0`,
  };
}

/** Condition: the deletion can be restored at this time. */
export const isRestorable = (resourceId: string, at: number) =>
  sql`exists (select 1 from deletions kept where kept.resource_id = ${resourceId}
    and kept.purging_at is null and kept.restorable_until > ${at})`;

/** First statement of a restore's batch: one row if the deletion can be restored. */
export const selectRestorable = (db: Database, resourceId: string, at: number) =>
  db.all<{ found: 1 }>(sql`select 1 as found where ${isRestorable(resourceId, at)}`);

/** Last statements of a restore's batch. */
export const endRestore = (
  db: Database,
  { resourceId, eventId, by, at }: { resourceId: string; eventId: string; by: Initiator; at: number },
) =>
  [
    raiseDeletionEvent(
      db,
      { id: eventId, resourceId, what: 'restored', by, at },
      isRestorable(resourceId, at),
    ),
    db.delete(deletions).where(and(eq(deletions.resourceId, resourceId), isRestorable(resourceId, at))),
  ] as const;

/** Condition for the join with the caller's key: the key may see the project, or could until the project was deleted. */
export function deletionInScope(tokenId: string): SQL {
  const chosen = sql`exists (select 1 from api_key_projects where key_id = ${apiKeys.id} and project_id = ${deletions.projectId})`;
  const deletedChoice = sql`exists (select 1 from deleted_rows where resource_id = ${deletions.projectId}
    and source = 'api_key_projects' and row ->> 'key_id' = ${apiKeys.id})`;
  return sql`(${apiKeys.tokenId} = ${tokenId} or ${apiKeys.previousTokenId} = ${tokenId})
    and ${apiKeys.tenantId} = ${deletions.tenantId} and (${apiKeys.allProjects} or ${chosen} or ${deletedChoice})`;
}

/** A deletion of this kind that the key can undo. @param serviceId for a backup or volume: its service */
export function selectScopedDeletion(
  db: Database,
  tokenId: string,
  { kind, resourceId, serviceId }: Pick<DeletionRow, 'kind' | 'resourceId'> & { serviceId?: string },
) {
  return db
    .select({ deletion: columnsAs(deletions, 'deletion'), ownLevel: levelInDeleted().as('own_level') })
    .from(deletions)
    .innerJoin(apiKeys, deletionInScope(tokenId))
    .where(
      and(
        eq(deletions.resourceId, resourceId),
        eq(deletions.kind, kind),
        serviceId === undefined ? undefined : eq(deletions.serviceId, serviceId),
        isNull(deletions.purgingAt),
      ),
    )
    .limit(1);
}

export function selectDeletion(db: Database, resourceId: string) {
  return db
    .select({ deletion: columnsAs(deletions, 'deletion') })
    .from(deletions)
    .where(eq(deletions.resourceId, resourceId))
    .limit(1);
}

/** Stored rows of a deletion, of one table, in their order. */
export async function readDeletedRows<Row>(
  db: Database,
  resourceId: string,
  source: SQL | string,
): Promise<Row[]> {
  const rows = await db
    .select({ row: deletedRows.row })
    .from(deletedRows)
    .where(and(eq(deletedRows.resourceId, resourceId), eq(deletedRows.source, source)))
    .orderBy(asc(deletedRows.position));
  return rows.map(({ row }) => JSON.parse(row) as Row);
}

/** The hosts on which deleted services have run: the hosts that a service has left still have its logs. */
export const listHostsOfDeleted = (db: Database, resourceId: string) =>
  db.all<{ serviceId: string; runnerId: string }>(sql`
    select distinct row ->> 'service_id' as serviceId, runners.id as runnerId from deleted_rows
      join runners on runners.id = row ->> 'runner_id' and runners.revoked_at is null
    where resource_id = ${resourceId} and source = 'jobs' and row ->> 'kind' = 'deploy' and row ->> 'state' = 'succeeded'
    order by 1, 2`);

/** Changes columns of a stored row, in a restore's batch before the rows are copied back. */
export function changeDeletedRow(
  db: Database,
  resourceId: string,
  { source, id, columns }: { source: string; id: string; columns: Readonly<Record<string, unknown>> },
) {
  return db.run(sql`update deleted_rows set row = json_patch(row, ${JSON.stringify(columns)})
    where resource_id = ${resourceId} and source = ${source} and row ->> 'id' = ${id}`);
}

/** Excludes stored rows from a restore, in its batch. */
export function dropDeletedRows(db: Database, resourceId: string, source: string, ids: readonly string[]) {
  return db.run(sql`delete from deleted_rows where resource_id = ${resourceId} and source = ${source}
    and row ->> 'id' in (select value from json_each(${JSON.stringify(ids)}))`);
}

/** Deleted backups and volumes follow their service to another project, so that only keys that may see the service can restore them. */
export function moveDeletedBackups(db: Database, serviceId: string) {
  return db.run(sql`update deletions set project_id = projects.id, project_name = projects.name
    from services join projects on projects.id = services.project_id
    where deletions.kind in ('backup', 'volume') and deletions.service_id = ${serviceId} and services.id = ${serviceId}`);
}
