/** Schedules of commands, and the outcome of their occurrences. */
import { and, asc, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { keptOccurrences, schedulesPerService } from '../../domain/commands/schedules.ts';
import { openRunsMax } from '../../domain/jobs/run-state.ts';
import { raiseEvent } from '../alerts/event-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { runs } from '../schema/runs.ts';
import { occurrences, schedules } from '../schema/schedules.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { inScope } from '../sql/scoped-store.ts';
import { startedByOf } from '../sql/started-by.ts';
import { insertRunJob, isLive, openRuns } from './run-store.ts';

export type ScheduleRow = typeof schedules.$inferSelect;
export type OccurrenceRow = Awaited<ReturnType<typeof selectOccurrences>>[number];

/** Schedules in order of creation. */
export const selectSchedules = (db: Database, serviceId: string | SQL) =>
  db
    .select()
    .from(schedules)
    .where(eq(schedules.serviceId, serviceId))
    .orderBy(asc(schedules.createdAt), asc(schedules.id));

export async function findSchedule(db: Database, scheduleId: string): Promise<ScheduleRow | undefined> {
  const [row] = await db.select().from(schedules).where(eq(schedules.id, scheduleId));
  return row;
}

/** A schedule of this service; schedules of other services are not found. */
export function selectScopedSchedule(db: Database, tokenId: string, serviceId: string, scheduleId: string) {
  return db
    .select({
      schedule: columnsAs(schedules, 'schedule'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(schedules)
    .innerJoin(services, eq(services.id, schedules.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(and(eq(schedules.id, scheduleId), eq(services.id, serviceId)))
    .limit(1);
}

/** @returns a statement that writes no row if the service has no room for one more. It violates UNIQUE if the name is in use */
export function insertSchedule(db: Database, row: ScheduleRow) {
  const { id, serviceId, name, cron, timeZone, command, timeLimitSeconds, container, overlap, enabled } = row;
  return db.all<{
    id: string;
  }>(sql`insert into schedules (id, service_id, name, cron, time_zone, command, time_limit_seconds, container, overlap, enabled,
      next_run_at, check_at, created_at, updated_at)
    select ${id}, services.id, ${name}, ${cron}, ${timeZone}, ${command}, ${timeLimitSeconds}, ${container}, ${overlap}, ${Number(enabled)},
      ${row.nextRunAt}, ${row.checkAt}, ${row.createdAt}, ${row.updatedAt}
    from services where services.id = ${serviceId}
      and (select count(*) from schedules where schedules.service_id = services.id) < ${schedulesPerService}
    returning id`);
}

/** @param changes without `nextRunAt`, the next occurrence does not change. Violates UNIQUE if the name is in use */
export const updateSchedule = (db: Database, scheduleId: string, changes: Partial<ScheduleRow>) =>
  db.update(schedules).set(changes).where(eq(schedules.id, scheduleId)).returning();

export const deleteSchedule = (db: Database, scheduleId: string) =>
  db.delete(schedules).where(eq(schedules.id, scheduleId));

const occurrenceColumns = {
  dueAt: occurrences.dueAt,
  reason: occurrences.reason,
  missed: occurrences.missed,
  scheduleId: occurrences.scheduleId,
  run: columnsAs(runs, 'run'),
  startedBy: startedByOf(runs.jobId),
};

/** The newest occurrence of each schedule of a service, with its command. */
export const selectLastOccurrences = (db: Database, serviceId: string | SQL) =>
  db
    .select(occurrenceColumns)
    .from(schedules)
    .innerJoin(
      occurrences,
      and(
        eq(occurrences.scheduleId, schedules.id),
        sql`${occurrences.dueAt} = (select max(newest.due_at) from occurrences newest where newest.schedule_id = ${schedules.id})`,
      ),
    )
    .leftJoin(runs, eq(runs.id, occurrences.runId))
    .where(eq(schedules.serviceId, serviceId));

/** A page of occurrences, newest first, with their commands. */
export function selectOccurrences(db: Database, scheduleId: string | SQL, page: Page) {
  // A schedule has at most one occurrence per time, so the time alone defines a row's position.
  const { after, orderBy, limit } = keysetOf({ at: occurrences.dueAt }, 'newest', page);
  return db
    .select(occurrenceColumns)
    .from(occurrences)
    .leftJoin(runs, eq(runs.id, occurrences.runId))
    .where(and(eq(occurrences.scheduleId, scheduleId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** Schedules that cron has to check, longest wait first. */
export const selectDueSchedules = (db: Database, now: number, limit: number) =>
  db.select().from(schedules).where(lte(schedules.checkAt, now)).orderBy(asc(schedules.checkAt)).limit(limit);

const waitMs = 60_000;

/**
 * Starts the due occurrence, or stores why it does not start, in one transaction: if two crons run at the same time, the second finds a
 * changed schedule and writes nothing.
 * @param due `dueAt` becomes an occurrence with `missed` before it; `next`: the following one
 * @param ids ids of the command and its job, if it starts
 * @returns the host on which it starts; undefined if it does not start
 */
export async function startOccurrence(
  db: Database,
  schedule: ScheduleRow,
  due: { dueAt: number; missed: number; next: number | null },
  ids: { runId: string; jobId: string; at: number },
): Promise<string | undefined> {
  const { id, serviceId, name } = schedule;
  const startedBy: Initiator = { type: 'schedule', id, name };
  const isDue = sql`exists (select 1 from schedules where id = ${id} and next_run_at = ${schedule.nextRunAt} and enabled)`;
  const reason = reasonAgainst(schedule);
  const waits =
    schedule.overlap === 'wait' ? sql`coalesce(${reason} not in (${isOpen}, ${tooMany}), 1)` : sql`1`;
  const [[job]] = await db.batch([
    insertRunJob(db, { ...ids, serviceId, startedBy }, sql`${isDue} and ${reason} is null`),
    db.run(sql`insert into runs (id, service_id, job_id, command, time_limit_seconds, container, status, created_at)
      select ${ids.runId}, ${serviceId}, jobs.id, schedules.command, schedules.time_limit_seconds, schedules.container, 'queued', ${ids.at}
      from jobs join schedules on schedules.id = ${id} where jobs.id = ${ids.jobId}`),
    db.run(sql`insert into occurrences (schedule_id, due_at, service_id, run_id, reason, missed)
      select ${id}, ${due.dueAt}, ${serviceId}, started.id, iif(started.id is null, ${reason}, null), ${due.missed}
      from (select (select id from runs where id = ${ids.runId}) as id) as started
      where ${isDue} and (started.id is not null or ${waits}) on conflict do nothing`),
    ...missedEvent(db, schedule, due, ids, isDue),
    db.run(sql`update schedules set check_at = ${ids.at + waitMs} where id = ${id} and ${isDue}`),
    db.run(sql`update schedules set next_run_at = ${due.next}, check_at = ${due.next} where id = ${id} and ${isDue}
      and exists (select 1 from occurrences where schedule_id = ${id} and due_at = ${due.dueAt})`),
    ...removeOldOccurrences(db, id, ids.at),
  ]);
  return job?.runnerId;
}

/** Raises the event about occurrences that were missed during an outage, once per outage. */
function missedEvent(
  db: Database,
  { id, serviceId, name }: ScheduleRow,
  { dueAt, missed }: { dueAt: number; missed: number },
  { runId, at }: { runId: string; at: number },
  isDue: SQL,
) {
  if (missed === 0) return [];
  const event = {
    id: `evt_${runId.slice('cmd_'.length)}`,
    type: 'run.missed',
    serviceId,
    resourceId: id,
    trigger: null,
    error: `The schedule "${name}" was due ${missed} times without being started; the newest time is made up for.`,
    audit: { status: 500 },
    at,
  } as const;
  return raiseEvent(
    db,
    event,
    sql`${isDue} and exists (select 1 from occurrences where schedule_id = ${id} and due_at = ${dueAt})`,
  );
}

/** Stores a manually started command of a schedule: statements for the batch that inserts the command. */
export const insertOccurrence = (
  db: Database,
  scheduleId: string,
  run: { id: string; createdAt: number },
) => [
  db.run(sql`insert into occurrences (schedule_id, due_at, service_id, run_id, missed)
    select schedules.id, ${run.createdAt}, runs.service_id, runs.id, 0 from runs join schedules on schedules.id = ${scheduleId}
    where runs.id = ${run.id} on conflict do nothing`),
  ...removeOldOccurrences(db, scheduleId, run.createdAt),
];

/** Repeats cron's check of a schedule a minute later, unless the schedule has changed. */
export const postponeCheck = (db: Database, { id, checkAt }: ScheduleRow, at: number) =>
  db
    .update(schedules)
    .set({ checkAt: at + waitMs })
    .where(and(eq(schedules.id, id), eq(schedules.checkAt, checkAt ?? at)));

const isOpen = 'The command of the occurrence before had not ended.';
/** The domain's `isStaticSite` in SQL. */
const isStatic = sql`(services.runtime_mode = 'static' or (services.runtime_mode = 'web' and coalesce(services.static_output, '') <> ''))`;
const tooMany = `The service had ${openRunsMax} commands that had not ended.`;

/** Why the command of a schedule can't start now; null if it can. */
function reasonAgainst({ id, serviceId }: ScheduleRow): SQL {
  return sql`(select case
      when services.stopped then 'The service was stopped.'
      when ${isStatic} then 'The service was a static site, which runs no commands.'
      when not ${isLive} then 'The service had no live version.'
      when exists (select 1 from occurrences earlier join runs on runs.id = earlier.run_id
        where earlier.schedule_id = ${id} and runs.status in ('queued', 'running')) then ${isOpen}
      when ${openRuns} >= ${openRunsMax} then ${tooMany}
      when (select revoked_at from runners where runners.id = services.runner_id) is not null then 'The host was revoked.'
    end from services where services.id = ${serviceId})`;
}

/** Deletes occurrences above the limit with their commands and logs, some at a time; history-store deletes the jobs. */
function removeOldOccurrences(db: Database, scheduleId: string, at: number) {
  const old = sql`(select due_at from occurrences where schedule_id = ${scheduleId} order by due_at desc limit 20 offset ${keptOccurrences})`;
  const ended = sql`(select runs.id from occurrences join runs on runs.id = occurrences.run_id
    where schedule_id = ${scheduleId} and due_at in ${old} and status not in ('queued', 'running'))`;
  return [
    db.run(
      sql`insert or ignore into log_purges (stream_name, created_at) select gone.id, ${at} from ${ended} as gone`,
    ),
    db.run(sql`delete from runs where id in ${ended}`),
    db.run(
      sql`delete from occurrences where schedule_id = ${scheduleId} and run_id is null and due_at in ${old}`,
    ),
  ] as const;
}
