import { type SQL, sql } from 'drizzle-orm';
import type { TerminalJobState } from '../../domain/jobs/job-state.ts';
import { raiseEvent } from '../alerts/event-store.ts';
import type { Database } from '../sql/database.ts';
import type { JobRow } from './job-store.ts';

/**
 * Raises the event of a scheduled command or backup that succeeds after the previous one failed; aborted commands are ignored.
 * @returns statements for the end of the batch that ends the job
 */
export function recoveryEvent(
  db: Database,
  job: JobRow,
  { state, at }: { state: TerminalJobState; at: number },
) {
  if (state !== 'succeeded') return [];
  if (job.kind !== 'run' && job.kind !== 'backup') return [];
  const { before, ...facts } = job.kind === 'run' ? recoveredRun(job.id) : recoveredBackup(job.id);
  const event = {
    id: `evt_${job.id.slice('job_'.length)}`,
    serviceId: job.serviceId,
    jobId: job.id,
    error: null,
    audit: { status: 200 },
    at,
    ...facts,
  } as const;
  return raiseEvent(
    db,
    event,
    sql`${before} = 'failed' and exists (select 1 from jobs where id = ${job.id} and state = 'succeeded')`,
  );
}

interface Recovered {
  type: 'run.recovered' | 'backup.recovered';
  resourceId: SQL;
  trigger: SQL | null;
  /** The status of the previous one. */
  before: SQL;
}

const recoveredRun = (jobId: string): Recovered => ({
  type: 'run.recovered',
  resourceId: sql`(select id from runs where job_id = ${jobId})`,
  trigger: null,
  before: sql`(select runs.status from occurrences own
    join occurrences earlier on earlier.schedule_id = own.schedule_id and earlier.due_at < own.due_at
    join runs on runs.id = earlier.run_id
    where own.run_id = (select id from runs where job_id = ${jobId}) and runs.status in ('succeeded', 'failed')
    order by earlier.due_at desc limit 1)`,
});

/** A backup of the same database, or of the same volume of a service. An aborted backup has the status failed as well; its job shows the abort. */
const recoveredBackup = (jobId: string): Recovered => ({
  type: 'backup.recovered',
  resourceId: sql`(select id from backups where job_id = ${jobId})`,
  trigger: sql`(select trigger from backups where job_id = ${jobId})`,
  before: sql`(select earlier.status from backups own join backups earlier
      on earlier.service_id = own.service_id and earlier.volume_id is own.volume_id and earlier.created_at < own.created_at
    where own.job_id = ${jobId} and own.trigger in ('daily', 'weekly', 'monthly')
      and earlier.trigger in ('daily', 'weekly', 'monthly') and earlier.status in ('succeeded', 'failed')
      and not exists (select 1 from jobs where jobs.id = earlier.job_id and jobs.state = 'aborted')
    order by earlier.created_at desc limit 1)`,
});
