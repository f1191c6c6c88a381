/** Chooses the next job of a host. */
import { eq, inArray, sql } from 'drizzle-orm';
import { type JobPlace, placelessPhases, placeOf } from '../../../protocol/job-places.ts';
import type { JobKind } from '../../../protocol/job-spec.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { worksNow } from '../hosts/presence-store.ts';
import { jobs } from '../schema/jobs.ts';
import { services } from '../schema/services.ts';
import { derivedServiceStatus } from '../services/service-status.ts';
import type { Database } from '../sql/database.ts';
import { type FoundJob, selectJobs, selectQueued } from './job-store.ts';

type Places = Readonly<Record<JobPlace, number>>;

const kinds = Object.keys(placeOf) as JobKind[];

/** Condition on the job `next`: it is not a deployment, or its tenant has no build limit or has not reached it on all hosts together. */
const tenantHasRoom = sql`(next.kind <> 'deploy' or not exists (
  select 1 from services own join projects on projects.id = own.project_id join tenants on tenants.id = projects.tenant_id
  where own.id = next.service_id and tenants.quotas ->> 'concurrentBuilds' <= (
    select count(*) from jobs held join services other on other.id = held.service_id
      join projects theirs on theirs.id = other.project_id
    where held.state in ('queued', 'active') and held.state = 'active' and held.kind = 'deploy'
      and theirs.tenant_id = tenants.id)))`;

/**
 * Condition on the job `next`: no removal of its service or project waits for this host. If the service was deleted and restored, a removal
 * that runs later would remove the new container. No stop of the service waits either, which would stop the job's version.
 */
const isStopped = (runnerId: string) => sql`not exists (select 1 from host_tasks removal
  where removal.runner_id = ${runnerId} and removal.state = 'pending' and (
    (removal.task ->> 'kind' in ('remove-service', 'stop-service') and removal.task ->> 'serviceId' = next.service_id)
    or (removal.task ->> 'kind' = 'remove-project'
      and removal.task ->> 'projectId' = (select project_id from services where services.id = next.service_id))))`;

/** Condition on the job `next`: it does not start a restored app whose project has a restored database that is not running yet. */
const hasItsDatabases = sql`not exists (select 1 from deployments mine join services app on app.id = mine.service_id
    join services base on base.project_id = app.project_id and base.kind = 'database'
    join jobs waiting on waiting.service_id = base.id and waiting.state in ('queued', 'active')
    join deployments theirs on theirs.job_id = waiting.id and theirs.trigger = 'restore'
  where mine.job_id = next.id and mine.trigger = 'restore' and app.kind <> 'database')`;

/** Condition on the job `next`: its host works and accepts jobs, or is drained and the job belongs to a running move (the service is down). */
const isAccepted = (
  runnerId: string,
) => sql`exists (select 1 from runners where runners.id = ${runnerId} and revoked_at is null and ${worksNow}
  and (drained = 0 or exists (select 1 from volume_moves join json_each(volume_moves.job_ids) own
    where volume_moves.service_id = next.service_id and own.value = next.id)))`;

/** The JobPlace of the job with this alias. */
const place = (alias: 'next' | 'held' | 'jobs') =>
  sql.raw(
    `case ${alias}.kind ${kinds.map((kind) => `when '${kind}' then '${placeOf[kind]}'`).join(' ')} end`,
  );

/** Condition on the job `held`: it uses a place of the host, and the job `next` needs one of the same kind. */
const holdsPlaceOfNext = (runnerId: string) => sql`held.runner_id = ${runnerId} and held.state = 'active'
  and ${place('held')} = ${place('next')}
  and not (held.kind = 'deploy' and ifnull(held.phase, '') in (select value from json_each(${JSON.stringify(placelessPhases)})))`;

/** Condition on the job `next`: its host has a free place. */
const hasRoom = (runnerId: string, places: Places) => sql`(select count(*) from jobs held
  where ${holdsPlaceOfNext(runnerId)}) < (${JSON.stringify(places)} ->> (${place('next')}))`;

/** The tenant of the service of the job with this alias. */
const tenantOf = (alias: 'next' | 'held' | 'jobs') =>
  sql.raw(`(select projects.tenant_id from services join projects on projects.id = services.project_id
    where services.id = ${alias}.service_id)`);

/**
 * Sort keys of the job `next`: how many places of this kind its tenant uses on the host, and when the tenant last got one. So the tenant
 * with the fewest running jobs is next, and among equals the one with the longest wait, for any number of queued jobs.
 */
const turnOfTenant = (runnerId: string) => sql`
  (select count(*) from jobs held where ${holdsPlaceOfNext(runnerId)} and ${tenantOf('held')} = ${tenantOf('next')}),
  ifnull((select turn.claimed_at from claim_turns turn where turn.runner_id = ${runnerId} and turn.tenant_id = ${tenantOf('next')}
    and turn.place = ${place('next')}), 0)`;

const hasOtherTenants = sql`exists (select 1 from tenants where id <> ${defaultTenantId})`;

/**
 * Claims the next job of a host that can start: the host has a free place and accepts jobs, no job of the same service is active or older
 * on any host (drills are last, and commands wait for nothing), no removal of the service is pending, a restored app has its databases, and the
 * tenant's `concurrentBuilds` is not reached (jobs of other tenants overtake one that waits for this).
 * Tenants take turns (`turnOfTenant`); a tenant's own jobs start in the order in which they were queued.
 * It is one statement, so that two claims never take the same job or place; the unique index on active jobs also guarantees this.
 * @returns the claimed job, undefined if there is none; and whether jobs still wait
 */
export async function claimNextJob(
  db: Database,
  claim: { runnerId: string; at: number; deadlinesMs: { deploy: number; data: number }; places: Places },
): Promise<{ claimed: FoundJob | undefined; hasMore: boolean }> {
  const { runnerId, at, deadlinesMs, places } = claim;
  const next = sql`(select next.id from jobs next
    where next.runner_id = ${runnerId} and next.state = 'queued'
      and not exists (select 1 from jobs busy where busy.service_id = next.service_id and busy.state = 'active'
        and busy.kind <> 'run' and next.kind <> 'run')
      and not exists (select 1 from jobs earlier where earlier.service_id = next.service_id
        and earlier.state in ('queued', 'active') and earlier.state = 'queued'
        and earlier.kind <> 'run' and next.kind <> 'run'
        and (earlier.kind = 'drill', earlier.queued_at, earlier.rowid) < (next.kind = 'drill', next.queued_at, next.rowid))
      and ${hasRoom(runnerId, places)}
      and ${tenantHasRoom}
      and ${isStopped(runnerId)}
      and ${hasItsDatabases}
      and ${isAccepted(runnerId)}
    order by ${turnOfTenant(runnerId)}, next.queued_at, next.rowid limit 1)`;
  const [claimed, , , found, queued] = await db.batch([
    db
      .update(jobs)
      .set({
        state: 'active',
        phase: null,
        epoch: sql`${jobs.epoch} + 1`,
        claimedAt: at,
        deadlineAt: sql`${at} + iif(${jobs.kind} = 'deploy', ${deadlinesMs.deploy}, ${deadlinesMs.data})`,
      })
      .where(eq(jobs.id, next))
      .returning({ id: jobs.id }),
    db
      .update(services)
      .set({ status: derivedServiceStatus })
      .where(
        inArray(
          services.id,
          sql`(select service_id from jobs where runner_id = ${runnerId} and state = 'active' and claimed_at = ${at})`,
        ),
      ),
    db.run(sql`insert into claim_turns (runner_id, tenant_id, place, claimed_at)
      select jobs.runner_id, ${tenantOf('jobs')}, ${place('jobs')}, ${at} from jobs
      where jobs.runner_id = ${runnerId} and jobs.state = 'active' and jobs.claimed_at = ${at} and ${hasOtherTenants}
      on conflict (runner_id, tenant_id, place) do update set claimed_at = excluded.claimed_at`),
    selectJobs(
      db,
      sql`${jobs.runnerId} = ${runnerId} and ${jobs.state} = 'active' and ${jobs.claimedAt} = ${at}`,
    ),
    selectQueued(db, runnerId),
  ]);
  return {
    claimed: found.find(({ job }) => job.id === claimed[0]?.id),
    hasMore: queued.length > 0,
  };
}

/** Other hosts whose queued jobs may start when this one ends: jobs of its service, and of its tenant if that has a build limit. */
export function selectHostsWaitingFor(db: Database, job: { serviceId: string; runnerId: string }) {
  return db.all<{ id: string }>(sql`select distinct waiting.runner_id as id
    from services ended join projects on projects.id = ended.project_id join tenants on tenants.id = projects.tenant_id
      join projects theirs on theirs.tenant_id = tenants.id join services other on other.project_id = theirs.id
      join jobs waiting on waiting.service_id = other.id
    where ended.id = ${job.serviceId} and tenants.quotas ->> 'concurrentBuilds' is not null
      and waiting.state in ('queued', 'active') and waiting.state = 'queued' and waiting.runner_id <> ${job.runnerId}
    union select runner_id from jobs where service_id = ${job.serviceId}
      and state in ('queued', 'active') and state = 'queued' and runner_id <> ${job.runnerId}`);
}

export function selectHostsWithQueuedJobsOf(db: Database, tenantId: string) {
  return db.all<{ id: string }>(sql`select distinct jobs.runner_id as id from jobs
    join services on services.id = jobs.service_id join projects on projects.id = services.project_id
    where jobs.state in ('queued', 'active') and jobs.state = 'queued' and projects.tenant_id = ${tenantId}`);
}
