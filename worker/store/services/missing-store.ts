/** Services that should run and have no container: which of them are due for another start. */
import { sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';
import { isSettled } from './service-observation-store.ts';

export interface MissingService {
  id: string;
  /** The live version, which is started again. */
  deploymentId: string;
  /** Starts of this version that have failed since it went live. */
  failures: number;
  /** When the last one failed; null: none has. */
  failedAt: number | null;
}

/** Those whose host is connected, some of them by chance, so that those of one tenant do not hold up the others. */
export const listMissing = (db: Database, limit: number): Promise<MissingService[]> =>
  db.all<MissingService>(sql`select services.id, live.id as deploymentId, count(failed.id) as failures, max(failed.finished_at) as failedAt
    from services join deployments live on live.service_id = services.id and live.status = 'running'
      join runners on runners.id = services.runner_id
      left join deployments failed on failed.service_id = services.id and failed.source_deployment_id = live.id
        and failed.trigger = 'restart' and failed.status in ('failed', 'aborted')
    where services.trouble ->> 'cause' = 'missing' and live.created_at <= services.trouble ->> '$.crash.at' and ${isSettled} and runners.revoked_at is null and runners.connected_at is not null
    group by services.id order by random() limit ${limit}`);
