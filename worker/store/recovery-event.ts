import { sql } from 'drizzle-orm';
import type { TerminalJobState } from '../domain/job-state.ts';
import type { Database } from './database.ts';
import { raiseEvent } from './event-store.ts';
import type { JobRow } from './job-store.ts';

/**
 * Raises the event of a scheduled command that succeeds after the occurrence before it failed; aborted ones say nothing about either.
 * @returns statements for the end of the batch that ends the job
 */
export function recoveryEvent(
  db: Database,
  job: JobRow,
  { state, at }: { state: TerminalJobState; at: number },
) {
  if (state !== 'succeeded' || job.kind !== 'run') return [];
  const event = {
    id: `evt_${job.id.slice('job_'.length)}`,
    type: 'run.recovered',
    serviceId: job.serviceId,
    resourceId: sql`(select id from runs where job_id = ${job.id})`,
    trigger: null,
    error: null,
    audit: { status: 200 },
    at,
  } as const;
  const before = sql`(select runs.status from occurrences own
    join occurrences earlier on earlier.schedule_id = own.schedule_id and earlier.due_at < own.due_at
    join runs on runs.id = earlier.run_id
    where own.run_id = (select id from runs where job_id = ${job.id}) and runs.status in ('succeeded', 'failed')
    order by earlier.due_at desc limit 1)`;
  return raiseEvent(
    db,
    event,
    sql`${before} = 'failed' and exists (select 1 from jobs where id = ${job.id} and state = 'succeeded')`,
  );
}
