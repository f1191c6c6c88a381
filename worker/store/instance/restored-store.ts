/** Changes of a database that was restored to an earlier time, so that hosts accept its messages and lose nothing. */
import { type SQL, sql } from 'drizzle-orm';
import { insertNamesTasks } from '../domains/service-names-store.ts';
import type { Database } from '../sql/database.ts';

/**
 * Raises every number of which hosts keep the highest above all values that a host can have, and stops every pending removal. One batch,
 * which is safe to repeat.
 * @param lifted at least one more than any revision that was ever sent. Revisions count changes, and a change takes longer than a second, so
 *   the seconds since 1970 are
 */
export async function liftRestored(
  db: Database,
  { lifted, keepUntil, taskId, now }: { lifted: number; keepUntil: number; taskId: string; now: number },
): Promise<{ services: number; deletions: number; removals: number }> {
  const [services, , deletions, removals] = await db.batch([
    db.all<Changed>(
      sql`update services set routes_revision = max(routes_revision + 1, ${lifted}) returning id`,
    ),
    db.run(sql`update deleted_rows set row = json_set(row, '$.routes_revision',
        max(coalesce(row ->> 'routes_revision', 0) + 1, ${lifted})) where source = 'services'`),
    db.all<Changed>(sql`update deletions set restorable_until = max(restorable_until, ${keepUntil})
      where purging_at is null returning resource_id as id`),
    // Resources whose removal was pending may have been restored or moved back since. Leftovers are listed as strays.
    db.all<Changed>(sql`update host_tasks set state = 'done', ok = 0, finished_at = ${now},
        detail = 'Cancelled, because the database was put back to an earlier time.'
      where state = 'pending' and task ->> 'kind' in ('remove-service', 'remove-project') returning id`),
    db.run(sql`delete from host_tasks where state = 'pending' and task ->> 'kind' = 'set-hostnames'`),
    insertNamesTasks(db, withNames, { taskId, changed: [], now }),
  ]);
  return { services: services.length, deletions: deletions.length, removals: removals.length };
}

type Changed = { id: string };

const withNames: SQL = sql`(services.generated_hostname is not null
  or exists (select 1 from domains where domains.service_id = services.id and is_proven))`;

export interface OpenJob {
  id: string;
  kind: string;
}

/** Jobs that were open at that time, oldest first. */
export function listOpenJobs(db: Database, limit: number): Promise<OpenJob[]> {
  return db.all<OpenJob>(sql`select id, kind from jobs where state in ('queued', 'active')
    order by queued_at limit ${limit}`);
}
