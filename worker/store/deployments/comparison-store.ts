/** Two deployments of a service with their snapshots, for a comparison. */
import { and, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { deployments } from '../schema/deployments.ts';
import type { Database } from '../sql/database.ts';
import { startedByOf } from '../sql/started-by.ts';

export type ComparedRow = Awaited<ReturnType<typeof selectCompared>>[number];

/**
 * The deployment with an id, if it belongs to the service: one row or none. `builtBy`: the deployment that built its image, which is another
 * one for rollbacks and restarts.
 */
export function selectCompared(db: Database, serviceId: string, deploymentId: string | SQL) {
  return db
    .select({
      ...getTableColumns(deployments),
      builtBy: builtBy.as('built_by'),
      startedBy: startedByOf(deployments.jobId),
    })
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), eq(deployments.id, deploymentId)));
}

/** The last live deployment before this one was queued: one row or none. */
export function selectLiveBefore(db: Database, serviceId: string, deploymentId: string) {
  return db
    .select({
      ...getTableColumns(deployments),
      builtBy: builtBy.as('built_by'),
      startedBy: startedByOf(deployments.jobId),
    })
    .from(deployments)
    .where(
      and(
        eq(deployments.serviceId, serviceId),
        inArray(deployments.status, ['running', 'superseded']),
        sql`(deployments.created_at, deployments.rowid) < (select this.created_at, this.rowid
          from deployments this where this.id = ${deploymentId})`,
      ),
    )
    .orderBy(desc(deployments.createdAt), desc(sql`deployments.rowid`))
    .limit(1);
}

/** The live deployment of a service, with its snapshot and, if another deployment built its image, that one's snapshot: one row or none. */
export function selectLiveVersion(db: Database, serviceId: string | SQL) {
  return db
    .select({
      id: deployments.id,
      sealedSnapshot: deployments.sealedSnapshot,
      builtBy: builtBy.as('built_by'),
      builtSnapshot: sql<string | null>`(select first.sealed_snapshot from deployments first
        where first.id = ${builtBy} and first.id <> deployments.id)`.as('built_snapshot'),
    })
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), eq(deployments.status, 'running')));
}

/** Follows sources to the deployment without one. `union` ends the search even if they form a cycle. */
const builtBy = sql<string>`(with recursive made (id, source) as (
  select deployments.id, deployments.source_deployment_id
  union select earlier.id, earlier.source_deployment_id from made join deployments earlier on earlier.id = made.source)
  select id from made where source is null limit 1)`;
