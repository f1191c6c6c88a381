import { sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';

/** What of a service answers now, and the version before it. */
export interface ServingRow {
  /** The live deployment; null: none. */
  liveId: string | null;
  liveCommitSha: string | null;
  /** Epoch milliseconds. */
  liveSince: number | null;
  /** 1 if it has crashed and does not answer, or is stopped. */
  isDown: number;
  /** The newest earlier deployment with another image that is still on the host of the service. */
  previousId: string | null;
}

/** One row or none. */
export const selectServing = (db: Database, serviceId: string) =>
  db.all<ServingRow>(sql`select live.id as liveId, live.commit_sha as liveCommitSha,
      coalesce(live.finished_at, live.created_at) as liveSince,
      services.stopped or (services.crashed and not services.reachable) as isDown,
      (select earlier.id from deployments earlier join jobs on jobs.id = earlier.job_id and jobs.runner_id = services.runner_id
        where earlier.service_id = services.id and earlier.status = 'superseded' and earlier.image_tag is not null
          and earlier.image_tag is not live.image_tag and earlier.sealed_snapshot is not null and services.kind <> 'database'
        order by earlier.created_at desc limit 1) as previousId
    from services left join deployments live on live.service_id = services.id and live.status = 'running'
    where services.id = ${serviceId} limit 1`);
