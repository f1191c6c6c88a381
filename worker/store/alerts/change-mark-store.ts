/**
 * Marks of services: a text that changes whenever a shown part of the service changes. Streams of changes (api/changes) compare the marks,
 * so a change needs no additional write or message.
 */
import { eq, or, sql } from 'drizzle-orm';
import { apiKeys } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { keptStatement, type Later } from '../sql/kept-statement.ts';
import { inScope } from '../sql/scoped-store.ts';

export interface ChangeMarkRow {
  projectId: string;
  /** Null if the project has no services. */
  serviceId: string | null;
  mark: string;
}

/** The service's own row, and whether its host is connected. Reports of a host are written to the row. */
const ofService = sql`json_array(${services.updatedAt}, ${services.status}, ${services.reachable}, ${services.crashed},
  ${services.stopped}, ${services.lastDeployedAt}, ${services.trouble}, ${runners.connectedAt}, ${runners.disconnectedAt})`;

/** Open jobs with their progress: few rows of an index. */
const ofOpenJobs = sql`(select group_concat(json_array(j.id, j.state, j.phase, j.abort_requested_at, b.progress, r.progress, i.progress,
    d.progress, u.progress))
  from jobs j left join backups b on b.job_id = j.id left join restores r on r.job_id = j.id left join imports i on i.job_id = j.id
    left join drills d on d.job_id = j.id left join database_upgrades u on u.job_id = j.id
  where j.service_id = ${services.id} and j.state in ('queued', 'active'))`;

/** Covers jobs that began and ended between two reads. */
const ofEndedJobs = sql`(select max(finished_at) from jobs where service_id = ${services.id} and kind <> 'deploy')`;

const ofNewestDeployment = sql`(select json_array(id, status, commit_sha, finished_at) from deployments
  where service_id = ${services.id} order by created_at desc limit 1)`;

/** Parts of the service. Adding or removing a row changes the count, another change the time. */
const ofParts = sql`json_array(
  (select json_array(count(*), max(updated_at)) from variables where service_id = ${services.id}),
  (select json_array(count(*), max(updated_at), max(checked_at), max(proof_checked_at), group_concat(certificate))
    from domains where service_id = ${services.id}),
  (select json_array(count(*), max(updated_at), sum(used_mb)) from volumes where service_id = ${services.id}),
  (select updated_at from service_files where service_id = ${services.id}),
  (select json_array(count(*), max(updated_at), max(next_run_at)) from schedules where service_id = ${services.id}),
  (select json_array(count(*), max(last_proven_at)) from backups where service_id = ${services.id}),
  (select updated_at from backup_settings where service_id = ${services.id}),
  (select json_array(count(*), max(raised_at), max(acknowledged_at)) from alerts
    where subject_id = ${services.id} and resolved_at is null),
  (select updated_at from image_updates where service_id = ${services.id}),
  (select json_array(commit_sha, created_at, state, detail) from awaited_pushes where service_id = ${services.id}))`;

const selectMarks = keptStatement((db, tokenId: Later, projectId: Later) =>
  db
    .select({
      projectId: projects.id,
      serviceId: sql<string | null>`${services.id}`.as('service_id'),
      mark: sql<string>`json_array(${projects.updatedAt}, ${ofService}, ${ofOpenJobs}, ${ofEndedJobs}, ${ofNewestDeployment}, ${ofParts})`.as(
        'mark',
      ),
    })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .leftJoin(services, eq(services.projectId, projects.id))
    .leftJoin(runners, eq(runners.id, services.runnerId))
    .where(or(eq(projects.id, projectId), sql`${projectId} = ''`)),
);

/** Marks of one project, or of all projects that the key may see, for a batch. */
export const selectChangeMarks = (db: Database, tokenId: string, projectId?: string) =>
  selectMarks(db, tokenId, projectId ?? '');

export async function listChangeMarks(
  db: Database,
  tokenId: string,
  projectId?: string,
): Promise<ChangeMarkRow[]> {
  const [rows] = await db.batch([selectChangeMarks(db, tokenId, projectId) as never]);
  return rows as unknown as ChangeMarkRow[];
}
