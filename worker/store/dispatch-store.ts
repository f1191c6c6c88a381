/** The rows that a deployment needs for dispatch, read together. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { hostOwner, isSharedWithOthers } from './runner-store.ts';
import { deployments } from './schema/deployments.ts';
import { jobs } from './schema/jobs.ts';
import { projects } from './schema/projects.ts';
import { runners } from './schema/runners.ts';
import { services } from './schema/services.ts';
import { tenants } from './schema/tenants.ts';

export type DispatchRows = NonNullable<Awaited<ReturnType<typeof findDispatch>>>;

/** What decides whether the host of a job may start new code of a tenant (domain/host-sharing). For a query that joins both tables. */
export const sharedHostColumns = {
  name: runners.name,
  tenantId: sql<string>`${hostOwner}`,
  shared: runners.shared,
  facts: runners.facts,
  trustedRunc: runners.trustedRunc,
  isSharedWithOthers: sql<boolean>`${isSharedWithOthers(sql`${projects.tenantId}`)}`.mapWith(Boolean),
};

/** @returns undefined if the job is not active (any more), is not a deployment, or its service is gone */
export async function findDispatch(db: Database, jobId: string) {
  const [row] = await db
    .select({
      job: jobs,
      service: services,
      project: projects,
      deployment: {
        id: deployments.id,
        sourceDeploymentId: deployments.sourceDeploymentId,
        sealedSnapshot: deployments.sealedSnapshot,
      },
      quotas: tenants.quotas,
      sealingKey: runners.sealingKey,
      host: sharedHostColumns,
    })
    .from(jobs)
    .innerJoin(services, eq(services.id, jobs.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(tenants, eq(tenants.id, projects.tenantId))
    .innerJoin(deployments, eq(deployments.jobId, jobs.id))
    .innerJoin(runners, eq(runners.id, jobs.runnerId))
    .where(and(eq(jobs.id, jobId), eq(jobs.state, 'active')));
  return row;
}

/** Deployments whose images must stay when `deploymentId` runs: the `count` newest that ran, and the sources of pending rollbacks. */
export function selectKeptDeployments(db: Database, serviceId: string, deploymentId: string, count: number) {
  const newest = sql`(select id from deployments where service_id = ${serviceId} and id <> ${deploymentId}
    and status in ('running', 'superseded') order by created_at desc, rowid desc limit ${count})`;
  const awaited = sql`(select source_deployment_id from deployments where service_id = ${serviceId}
    and source_deployment_id is not null and status in ('queued', 'building'))`;
  return db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.serviceId, serviceId),
        sql`(deployments.id in ${newest} or deployments.id in ${awaited})`,
      ),
    );
}

/** The deployment that a rollback returns to. */
export async function findRollbackSource(db: Database, deploymentId: string) {
  const { id, commitSha, sealedSnapshot } = deployments;
  const [row] = await db
    .select({ id, commitSha, sealedSnapshot })
    .from(deployments)
    .where(eq(id, deploymentId));
  return row;
}

/**
 * Stores a snapshot that the caller has sealed with the project's key.
 * @returns false if the service has left the project in the meantime; nothing was written then
 */
export async function writeSnapshot(
  db: Database,
  projectId: string,
  deploymentId: string,
  sealedSnapshot: string,
): Promise<boolean> {
  const written = await db
    .update(deployments)
    .set({ sealedSnapshot })
    .where(
      and(
        eq(deployments.id, deploymentId),
        sql`service_id in (select id from services where project_id = ${projectId})`,
      ),
    )
    .returning({ id: deployments.id });
  return written.length > 0;
}

/** The sealed snapshot of a deployment, whose values may appear in its log. */
export function selectSealedSnapshot(db: Database, deploymentId: string) {
  return db
    .select({ sealedSnapshot: deployments.sealedSnapshot })
    .from(deployments)
    .where(eq(deployments.id, deploymentId));
}
