import { type SQL, sql } from 'drizzle-orm';
import { services } from './schema/services.ts';

/**
 * A service's status as its jobs and deployments make it; for `update services set status = ...` in the batch that changed one of them.
 * A failed or aborted deployment leaves the service `active` while an older one serves, or `crashed`, as the host saw it last.
 * (Both state conditions stand there so that SQLite sees that the partial index `jobs_open` applies.)
 */
export const derivedServiceStatus: SQL<(typeof services.$inferSelect)['status']> = sql`case
  when exists (select 1 from jobs where jobs.service_id = ${services.id} and state = 'active') then 'building'
  when exists (select 1 from jobs where jobs.service_id = ${services.id}
    and state in ('queued', 'active') and state = 'queued') then 'queued'
  when exists (select 1 from deployments where deployments.service_id = ${services.id} and status = 'running')
    then iif(services.crashed, 'crashed', 'active')
  else coalesce((select iif(status = 'failed', 'failed', 'idle') from deployments
    where deployments.service_id = ${services.id} and status <> 'aborted' order by created_at desc limit 1), 'idle') end`;
