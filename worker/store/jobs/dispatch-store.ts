/** The rows that a deployment needs for dispatch, read together. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { hasAlertRules } from '../alerts/alert-rule-store.ts';
import { hasOwnCertificates } from '../domains/own-certificate-store.ts';
import { isSharedWithOthers } from '../hosts/runner-store.ts';
import { hasLogDrains } from '../logs/log-drain-store.ts';
import { folderOfDeployment } from '../projects/folder-store.ts';
import { storedLogBytesOf } from '../projects/tenant-day-store.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { tenants } from '../schema/tenants.ts';
import { credentialsOfProject } from '../sources/git-credential-store.ts';
import { loginsOfTenant } from '../sources/registry-store.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner } from '../sql/host-owner.ts';

export type DispatchRows = NonNullable<Awaited<ReturnType<typeof findDispatch>>>;

/** Columns that decide whether a job's host may start new code of a tenant (domain/host-sharing). For a query that joins both tables. */
export const sharedHostColumns = {
  name: runners.name,
  tenantId: sql<string>`${hostOwner}`,
  shared: runners.shared,
  facts: runners.facts,
  trustedRunc: runners.trustedRunc,
  isSharedWithOthers: sql<boolean>`${isSharedWithOthers(sql`${projects.tenantId}`)}`.mapWith(Boolean),
};

/** A D1 result has at most 100 columns, so those of a service that say only what happened to it, or what to do with pushes, are left out. */
const {
  trouble: _t,
  sleep: _s,
  diskMb: _d,
  reachable: _r,
  suggestedKeys: _k,
  sourceFiles: _f,
  lastDeployedAt: _l,
  createdAt: _c,
  updatedAt: _u,
  ...dispatched
} = getTableColumns(services);

/** @returns undefined if the job is not active (any more), is not a deployment, or its service is gone */
export async function findDispatch(db: Database, jobId: string) {
  const [row] = await db
    .select({
      job: jobs,
      service: dispatched,
      project: projects,
      deployment: {
        id: deployments.id,
        trigger: deployments.trigger,
        sourceDeploymentId: deployments.sourceDeploymentId,
        ref: deployments.ref,
        sealedSnapshot: deployments.sealedSnapshot,
        imageTag: deployments.imageTag,
        imageDigest: deployments.imageDigest,
        commitSha: deployments.commitSha,
      },
      folder: folderOfDeployment.as('folder'),
      quotas: tenants.quotas,
      storedLogBytes: storedLogBytesOf(projects.tenantId).as('stored_log_bytes'),
      registries: loginsOfTenant.as('registries'),
      gitCredentials: credentialsOfProject.as('git_credentials'),
      hasAlertRules: hasAlertRules.mapWith(Boolean).as('has_alert_rules'),
      hasLogDrains: hasLogDrains.mapWith(Boolean).as('has_log_drains'),
      hasOwnCertificates: hasOwnCertificates.mapWith(Boolean).as('has_own_certificates'),
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

/**
 * Deployments whose images must remain when `deploymentId` runs: the `count` newest that ran, the `count` newest that are no restarts
 * (restarts replace no version), and the sources of pending rollbacks and restarts.
 */
export function selectKeptDeployments(db: Database, serviceId: string, deploymentId: string, count: number) {
  const ran = sql`from deployments where service_id = ${serviceId} and id <> ${deploymentId}
    and status in ('running', 'superseded')`;
  const newest = sql`(select id ${ran} order by created_at desc, rowid desc limit ${count})`;
  const versions = sql`(select id ${ran} and trigger <> 'restart' order by created_at desc, rowid desc
    limit ${count} + coalesce((select trigger = 'restart' from deployments where id = ${deploymentId}), 0))`;
  const awaited = sql`(select source_deployment_id from deployments where service_id = ${serviceId}
    and source_deployment_id is not null and status in ('queued', 'building'))`;
  return db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.serviceId, serviceId),
        sql`(deployments.id in ${newest} or deployments.id in ${versions} or deployments.id in ${awaited})`,
      ),
    );
}

/** The live deployment of a service with its snapshot: one row or none. */
export function selectLiveSnapshot(db: Database, serviceId: string | SQL) {
  return db
    .select({ id: deployments.id, sealedSnapshot: deployments.sealedSnapshot })
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), eq(deployments.status, 'running')));
}

/** The deployment that is live now. */
export async function findLiveDeployment(db: Database, serviceId: string) {
  const [row] = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), eq(deployments.status, 'running')));
  return row;
}

/** The deployment whose image a rollback or restart reuses. */
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
 * @returns false if the service no longer belongs to the project; nothing was written then
 */
export async function writeSnapshot(
  db: Database,
  projectId: string,
  { id, sourceDeploymentId, sealed }: { id: string; sourceDeploymentId: string | null; sealed: string },
): Promise<boolean> {
  const written = await db
    .update(deployments)
    .set({ sealedSnapshot: sealed, sourceDeploymentId })
    .where(
      and(
        eq(deployments.id, id),
        sql`service_id in (select id from services where project_id = ${projectId})`,
      ),
    )
    .returning({ id: deployments.id });
  return written.length > 0;
}

/**
 * The stored snapshots of a service, whose values may appear in its logs, and the newest deployment even if it never had one. The snapshot
 * of a deployment that is missing here was deleted (job-end-store).
 */
export function selectSealedSnapshots(db: Database, serviceId: string) {
  return db
    .select({ id: deployments.id, sealedSnapshot: deployments.sealedSnapshot })
    .from(deployments)
    .where(
      sql`service_id = ${serviceId} and (sealed_snapshot is not null or id = (
        select id from deployments where service_id = ${serviceId} order by created_at desc, rowid desc limit 1))`,
    );
}
