import { type SQL, sql } from 'drizzle-orm';
import { services } from './schema/services.ts';

/**
 * A service's status as its deployments make it (a backup or a restore leaves it as it is); for `update services set status = ...` in the batch that changed one of them.
 * A failed or aborted deployment leaves the service `active` while an older one serves, or `crashed`, as the host saw it last.
 * (Both state conditions stand there so that SQLite sees that the partial index `jobs_open` applies.)
 */
export const derivedServiceStatus: SQL<(typeof services.$inferSelect)['status']> = sql`case
  when exists (select 1 from jobs where jobs.service_id = ${services.id} and state = 'active' and kind = 'deploy') then 'building'
  when exists (select 1 from jobs where jobs.service_id = ${services.id}
    and state in ('queued', 'active') and state = 'queued' and kind = 'deploy') then 'queued'
  when exists (select 1 from deployments where deployments.service_id = ${services.id} and status = 'running')
    then iif(services.crashed, 'crashed', 'active')
  else coalesce((select iif(status = 'failed', 'failed', 'idle') from deployments
    where deployments.service_id = ${services.id} and status <> 'aborted' order by created_at desc limit 1), 'idle') end`;
