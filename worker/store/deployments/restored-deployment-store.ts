/** Deployments that start restored services again. */
import { sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { services } from '../schema/services.ts';
import { derivedServiceStatus } from '../services/service-status.ts';
import type { Database } from '../sql/database.ts';

export interface RestoredService {
  serviceId: string;
  deploymentId: string;
  jobId: string;
}

/**
 * Queues one deployment for each service that was live, in the restore's batch, after its rows. It reuses the stored image and variables of
 * that version; a database is started with its current settings on its kept data. Databases come first (claim-store).
 */
export function queueRestoredDeployments(
  db: Database,
  restored: readonly RestoredService[],
  { startedBy, at }: { startedBy: Initiator; at: number },
) {
  const list = sql`json_each(${JSON.stringify(restored)}) wanted`;
  const ranBefore = sql`select live.id from deployments live join jobs done on done.id = live.job_id
    where live.service_id = services.id and live.status = 'superseded'`;
  return [
    db.all<{
      runnerId: string;
    }>(sql`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, started_by)
      select wanted.value ->> 'jobId', 'deploy', services.id, services.runner_id, 'queued', 0, ${at}, ${JSON.stringify(startedBy)}
      from ${list} join services on services.id = wanted.value ->> 'serviceId'
      where exists (${ranBefore})
      order by services.kind <> 'database', services.created_at
      returning runner_id as runnerId`),
    db.run(sql`insert into deployments (id, service_id, job_id, status, trigger, source_deployment_id, created_at)
      select wanted.value ->> 'deploymentId', services.id, jobs.id, 'queued', 'restore',
        iif(services.kind = 'database', null, (${ranBefore} and live.sealed_snapshot is not null
          and done.runner_id = services.runner_id order by live.created_at desc, live.rowid desc limit 1)), ${at}
      from ${list} join jobs on jobs.id = wanted.value ->> 'jobId' join services on services.id = jobs.service_id`),
    db
      .update(services)
      .set({ status: derivedServiceStatus })
      .where(sql`${services.id} in (select wanted.value ->> 'serviceId' from ${list})`),
  ] as const;
}
