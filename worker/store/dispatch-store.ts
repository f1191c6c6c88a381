/** What a job needs on its way to the host, read together. */
import { and, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { domains } from './schema/domains.ts';
import { jobs } from './schema/jobs.ts';
import { projects } from './schema/projects.ts';
import { runners } from './schema/runners.ts';
import { services } from './schema/services.ts';

export type DispatchRows = NonNullable<Awaited<ReturnType<typeof findDispatch>>>;

/** @returns undefined when the job is not active (any more) or its service is gone. */
export async function findDispatch(db: Database, jobId: string) {
  const [row] = await db
    .select({
      job: jobs,
      service: services,
      project: projects,
      deployment: { id: deployments.id, sealedSnapshot: deployments.sealedSnapshot },
      sealingKey: runners.sealingKey,
    })
    .from(jobs)
    .innerJoin(services, eq(services.id, jobs.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(deployments, eq(deployments.jobId, jobs.id))
    .innerJoin(runners, eq(runners.id, jobs.runnerId))
    .where(and(eq(jobs.id, jobId), eq(jobs.state, 'active')));
  return row;
}

export async function listActiveDomains(db: Database, serviceId: string): Promise<string[]> {
  const rows = await db
    .select({ hostname: domains.hostname })
    .from(domains)
    .where(and(eq(domains.serviceId, serviceId), eq(domains.status, 'active')))
    .orderBy(domains.createdAt);
  return rows.map((row) => row.hostname);
}

/** What was dispatched; sealed by the caller. */
export async function writeSnapshot(
  db: Database,
  deploymentId: string,
  sealedSnapshot: string,
): Promise<void> {
  await db.update(deployments).set({ sealedSnapshot }).where(eq(deployments.id, deploymentId));
}
