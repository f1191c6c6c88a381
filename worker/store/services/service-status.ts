import { type SQL, sql } from 'drizzle-orm';
import { services } from '../schema/services.ts';

/**
 * A service's status as derived from its deployments (data jobs do not affect it); for `update services set status = ...` in the batch that
 * changed one of them. After a failed or aborted deployment the service is still `active` if an older one serves, or `crashed`, as the host
 * last reported. (Both state conditions are needed for SQLite to use the partial index `jobs_open`.)
 */
export const derivedServiceStatus: SQL<(typeof services.$inferSelect)['status']> = sql`case
  when exists (select 1 from jobs where jobs.service_id = ${services.id} and state = 'active' and kind = 'deploy') then 'building'
  when exists (select 1 from jobs where jobs.service_id = ${services.id}
    and state in ('queued', 'active') and state = 'queued' and kind = 'deploy') then 'queued'
  when exists (select 1 from deployments where deployments.service_id = ${services.id} and status = 'running')
    then case when services.stopped then 'stopped' when services.crashed then 'crashed' else 'active' end
  else coalesce((select iif(status = 'failed', 'failed', 'idle') from deployments
    where deployments.service_id = ${services.id} and status <> 'aborted' order by created_at desc limit 1), 'idle') end`;
