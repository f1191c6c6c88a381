/**
 * Reports of hosts about jobs other than deployments (backup, restore, import, drill, upgrade, run): the job's row and the row that clients see. A
 * job takes at most one backup, as its own work or as a safety copy; that backup's row has the job's id.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { ArchiveFacts, JobFacts } from '../../../protocol/job-report.ts';
import { endedDrillState } from '../../domain/backups/drill-state.ts';
import type { JobSituation, TerminalJobState } from '../../domain/jobs/job-state.ts';
import { openRunStates } from '../../domain/jobs/run-state.ts';
import { raiseEvent } from '../alerts/event-store.ts';
import { addToTenantDay } from '../projects/tenant-day-store.ts';
import { backups, drills, imports, restores } from '../schema/backups.ts';
import { databaseUpgrades } from '../schema/database-upgrades.ts';
import { jobs } from '../schema/jobs.ts';
import { runs } from '../schema/runs.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { selectHostsWaitingFor } from './claim-store.ts';
import { type JobRow, stillAs, unchanged } from './job-store.ts';
import { recoveryEvent } from './recovery-event.ts';

export interface DataJobEnd {
  state: TerminalJobState;
  at: number;
  facts: JobFacts;
  /** The report that ended the job; null if the platform ended it. */
  resultId: string | null;
  failure: { code: string; message: string } | null;
}

/** Writes a runner's progress report. @returns false if the job has changed since it was read; nothing was written then */
export async function writeDataProgress(
  db: Database,
  job: JobRow,
  { to, facts, at }: { to: JobSituation; facts: JobFacts; at: number },
): Promise<boolean> {
  const progress = facts.progress ?? null;
  const running = <
    Table extends typeof backups | typeof restores | typeof imports | typeof drills | typeof databaseUpgrades,
  >(
    table: Table,
  ) => and(eq(table.jobId, job.id), eq(table.status, 'running'), stillAs(job));
  const [, , , , , , , written] = await db.batch([
    db.update(backups).set({ progress }).where(running(backups)),
    finishBackup(db, job, facts.archive, at),
    db.update(restores).set({ progress }).where(running(restores)),
    db.update(imports).set({ progress }).where(running(imports)),
    db.update(drills).set({ progress }).where(running(drills)),
    db.update(databaseUpgrades).set({ progress }).where(running(databaseUpgrades)),
    startRun(db, job, at),
    db.update(jobs).set({ phase: to.phase }).where(unchanged(job)).returning({ id: jobs.id }),
  ]);
  return written.length > 0;
}

/**
 * Ends a data job and the row that clients see, all or nothing.
 * @returns other hosts whose jobs waited for this end; undefined if the row has changed since it was read; nothing was written then
 */
export async function endDataJob(db: Database, job: JobRow, end: DataJobEnd): Promise<string[] | undefined> {
  const { state, at, facts, failure } = end;
  const status = state === 'succeeded' ? ('succeeded' as const) : ('failed' as const);
  const error = state === 'aborted' ? 'It was aborted.' : (failure?.message ?? null);
  const over = { status, error, progress: null, finishedAt: at };
  const [, , , , , , , , , , , written, waiting] = await db.batch([
    finishBackup(db, job, facts.archive, at),
    deleteUnusedSafetyCopy(db, job, end),
    // A backup that still has the state running was not verified: a successful job has reported its archive.
    db
      .update(backups)
      .set({ ...over, status: 'failed' })
      .where(and(eq(backups.jobId, job.id), eq(backups.status, 'running'), stillAs(job))),
    db
      .update(restores)
      .set({ ...over, safetyBackupId: sql`coalesce(${keptCopy}, '')` })
      .where(and(eq(restores.jobId, job.id), eq(restores.status, 'running'), stillAs(job))),
    db
      .update(imports)
      .set({ ...over, sealedSource: null, safetyBackupId: keptCopy, skipped: facts.skipped ?? null })
      .where(and(eq(imports.jobId, job.id), eq(imports.status, 'running'), stillAs(job))),
    endRun(db, job, end),
    addToTenantDay(
      db,
      { jobId: job.id, at, logBytes: facts.logBytes ?? 0 },
      job.kind === 'run' ? stillAs(job) : sql`0`,
    ),
    recordImage(db, job, end),
    db
      .update(databaseUpgrades)
      .set({ ...over, safetyBackupId: keptCopy })
      .where(and(eq(databaseUpgrades.jobId, job.id), eq(databaseUpgrades.status, 'running'), stillAs(job))),
    recordVerification(db, job, end),
    db
      .update(drills)
      .set({ ...over, status: endedDrillState(state, failure?.code ?? null) })
      .where(and(eq(drills.jobId, job.id), eq(drills.status, 'running'), stillAs(job))),
    db
      .update(jobs)
      .set({
        state,
        resultId: end.resultId,
        finishedAt: at,
        failureCode: failure?.code ?? null,
        failureMessage: failure?.message ?? null,
      })
      .where(unchanged(job))
      .returning({ id: jobs.id }),
    selectHostsWaitingFor(db, job),
    ...failureEvent(db, job, end),
    ...recoveryEvent(db, job, end),
  ]);
  return written.length > 0 ? waiting.map(({ id }) => id) : undefined;
}

/** Raises the event of a failed job, once per job. A drill that could not run shows nothing about its backup, so it raises none. */
function failureEvent(db: Database, job: JobRow, { state, at, failure }: DataJobEnd) {
  if (state !== 'failed' || job.kind === 'deploy') return [];
  if (job.kind === 'drill' && endedDrillState(state, failure?.code ?? null) !== 'failed') return [];
  // D1 joins at most five SELECTs with UNION.
  const ofRun = sql`(select id, null as trigger from runs where job_id = ${job.id})`;
  const ofData = sql`(select id, trigger from backups where job_id = ${job.id} and trigger <> 'pre-restore'
    union all select id, null from restores where job_id = ${job.id}
    union all select id, null from imports where job_id = ${job.id}
    union all select id, null from database_upgrades where job_id = ${job.id}
    union all select backup_id, trigger from drills where job_id = ${job.id})`;
  const work = job.kind === 'run' ? ofRun : ofData;
  const event = {
    id: `evt_${job.id.slice('job_'.length)}`,
    type: `${job.kind}.failed`,
    serviceId: job.serviceId,
    jobId: job.id,
    resourceId: sql`(select id from ${work})`,
    trigger: sql`(select trigger from ${work})`,
    error: failure?.message ?? null,
    audit: { status: 500 },
    at,
  } as const;
  return raiseEvent(db, event, sql`exists (select 1 from jobs where id = ${job.id} and state = 'failed')`);
}

const openRun = (job: JobRow) =>
  and(eq(runs.jobId, job.id), inArray(runs.status, [...openRunStates]), stillAs(job));

function startRun(db: Database, job: JobRow, at: number) {
  return db
    .update(runs)
    .set({ status: 'running', startedAt: sql`coalesce(${runs.startedAt}, ${at})` })
    .where(openRun(job));
}

function endRun(db: Database, job: JobRow, { state, at, facts, failure }: DataJobEnd) {
  const error = state === 'aborted' ? 'It was aborted.' : (failure?.message ?? null);
  return db
    .update(runs)
    .set({ status: state, exitCode: facts.exitCode ?? null, error, finishedAt: at })
    .where(openRun(job));
}

/** Stores the image of an upgrade or its undo as the database's image. */
function recordImage(db: Database, job: JobRow, { state, at }: DataJobEnd) {
  const ended = sql`from database_upgrades ended where ended.job_id = ${job.id} and ended.status = 'running' and ended.action <> 'dry-run'`;
  return db
    .update(services)
    .set({ imageRef: sql`(select ended.to_image ${ended})`, updatedAt: at })
    .where(
      state === 'succeeded'
        ? and(eq(services.id, job.serviceId), sql`exists (select 1 ${ended})`, stillAs(job))
        : sql`0`,
    );
}

/** Records the verification on the backup that a successful drill tested. */
function recordVerification(db: Database, job: JobRow, { state, at }: DataJobEnd) {
  const tried = sql`${backups.id} in (select backup_id from drills where job_id = ${job.id} and status = 'running')`;
  return db
    .update(backups)
    .set({ lastProvenAt: at })
    .where(state === 'succeeded' ? and(tried, stillAs(job)) : sql`0`);
}

/** The safety copy in the row of `restores` or `imports`, if it exists. */
const keptCopy = sql`(select kept.id from backups kept where kept.id = safety_backup_id)`;

/** Failures of the safety copy itself, which its own row shows. */
const copyFailures = ['dump_failed', 'disk_full'];

/**
 * Deletes the row of a safety copy that was never taken because its job was refused or aborted first; the job's row then has the
 * reason. If the host has not reported, the row remains, because a copy may exist.
 */
function deleteUnusedSafetyCopy(db: Database, job: JobRow, { state, resultId, failure }: DataJobEnd) {
  const isKnown = resultId !== null || job.state === 'queued';
  const isUntaken = state !== 'succeeded' && isKnown && !copyFailures.includes(failure?.code ?? '');
  const copy = and(
    eq(backups.jobId, job.id),
    eq(backups.trigger, 'pre-restore'),
    eq(backups.status, 'running'),
    stillAs(job),
  );
  return db.delete(backups).where(isUntaken ? copy : sql`0`);
}

/**
 * Marks the backup as succeeded, with all requested copies verified. Without an archive there is nothing to write.
 * The host reports whether there is a copy in the bucket, not its key: another key would be another database's backup.
 */
function finishBackup(db: Database, job: JobRow, archive: ArchiveFacts | undefined, at: number) {
  // The same key as `remoteKeyOf` returns.
  const ownKey = sql`iif(storage = 'disk', null, 'backups/' || service_id || '/' || id)`;
  const remoteKey = archive?.remoteKey == null ? null : ownKey;
  // Only a key of the service's tenant: the host gets the identity of this key when it reads the backup.
  const encryptedWith = sql`(select backup_keys.id from backup_keys
    join projects on projects.tenant_id = backup_keys.tenant_id join services on services.project_id = projects.id
    where services.id = backups.service_id and backup_keys.id = ${archive?.encryptedWith ?? null})`;
  return db
    .update(backups)
    .set({
      ...archive,
      remoteKey,
      encryptedWith,
      status: 'succeeded',
      error: null,
      progress: null,
      finishedAt: at,
    })
    .where(archive ? and(eq(backups.jobId, job.id), eq(backups.status, 'running'), stillAs(job)) : sql`0`);
}
