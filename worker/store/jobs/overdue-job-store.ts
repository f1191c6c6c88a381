/** Queries of the sweep that runs every minute. Conditions on open states are written so that SQLite uses the partial index `jobs_open`. */
import { and, eq, isNotNull, isNull, lt, notInArray, or, type SQL, sql } from 'drizzle-orm';
import { committedPhases } from '../../domain/jobs/deployment-end.ts';
import { jobs } from '../schema/jobs.ts';
import { runners } from '../schema/runners.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import type { JobRow } from './job-store.ts';

interface OverdueJob {
  job: JobRow;
}

export interface OverdueJobs {
  queueTimedOut: OverdueJob[];
  pastDeadline: OverdueJob[];
  runnerLost: OverdueJob[];
  runnerRevoked: OverdueJob[];
}

const open = sql`${jobs.state} in ('queued', 'active')`;
const notCommitted = or(isNull(jobs.phase), notInArray(jobs.phase, [...committedPhases]));

/** Reads at most `limit` jobs of each kind. */
export async function listOverdueJobs(
  db: Database,
  bounds: { now: number; queuedBefore: number; awayBefore: number; limit: number },
): Promise<OverdueJobs> {
  const { now, queuedBefore, awayBefore, limit } = bounds;
  const select = (condition: SQL | undefined) =>
    db
      .select({ job: columnsAs(jobs, 'job') })
      .from(jobs)
      .innerJoin(runners, eq(runners.id, jobs.runnerId))
      .where(and(open, condition))
      .limit(limit);
  const [queueTimedOut, pastDeadline, runnerLost, runnerRevoked] = await db.batch([
    select(and(eq(jobs.state, 'queued'), lt(jobs.queuedAt, queuedBefore))),
    select(and(eq(jobs.state, 'active'), lt(jobs.deadlineAt, now), notCommitted)),
    select(
      and(
        eq(jobs.state, 'active'),
        isNull(runners.connectedAt),
        lt(runners.disconnectedAt, awayBefore),
        notCommitted,
      ),
    ),
    select(isNotNull(runners.revokedAt)),
  ]);
  return { queueTimedOut, pastDeadline, runnerLost, runnerRevoked };
}

/**
 * Connected hosts with open jobs or due tasks, so that hubs that missed a wake-up get another. Hosts that can have missed one are
 * first; of the others, which only have running jobs, some are chosen at random.
 */
export async function listRunnersWithWork(db: Database, now: number, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`select id,
      exists (select 1 from jobs where jobs.runner_id = runners.id and jobs.state = 'queued')
      or exists (select 1 from host_tasks where host_tasks.runner_id = runners.id
        and host_tasks.state = 'pending' and host_tasks.due_at <= ${now}) as waits
    from runners where connected_at is not null and revoked_at is null
      and (waits or exists (select 1 from jobs where jobs.runner_id = runners.id and jobs.state = 'active'))
    order by waits desc, random() limit ${limit}`);
  return rows.map((row) => row.id);
}
