/** The states of services, reported by their hosts. */
import { eq, sql } from 'drizzle-orm';
import type { SleepHistory } from '../../../protocol/observed/observed-service.ts';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import { type SleepChange, sleepChanges } from '../../domain/services/sleep-changes.ts';
import { type NewEvent, raiseEvent } from '../alerts/event-store.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { isNotMoving } from './volume-hold.ts';

export interface ServiceObservation {
  id: string;
  status: (typeof services.$inferSelect)['status'];
  reachable: boolean;
  /** Whether the live version crashed, even if the status shows something else at the moment. */
  crashed: boolean;
  trouble: ServiceTrouble | null;
  sleep: SleepHistory | null;
  /** Whether its host has a live version of it that no job is changing. */
  isSettled: boolean;
  /** Its size on the host's disk, in units of 2^20 bytes; `null` if not measured. */
  diskMb: number | null;
}

export interface ObservationChange {
  from: ServiceObservation;
  to: ServiceObservation;
}

export function listObservations(db: Database, runnerId: string): Promise<ServiceObservation[]> {
  const { id, status, reachable, crashed, trouble, sleep, diskMb } = services;
  return db
    .select({ id, status, reachable, crashed, trouble, sleep, diskMb, isSettled: isSettled.mapWith(Boolean) })
    .from(services)
    .where(eq(services.runnerId, runnerId));
}

/** Condition on `services`: the service should run on its host, and no job is about to change that. */
const isSettled = sql`(services.stopped = 0 and ${isNotMoving}
  and exists (select 1 from deployments live join jobs done on done.id = live.job_id
    where live.service_id = services.id and live.status = 'running' and done.runner_id = services.runner_id)
  and not exists (select 1 from jobs where jobs.service_id = services.id and state in ('queued', 'active') and kind <> 'run'))`;

/**
 * One statement for any number of services: a host that reconnects reports hundreds at once. A container that was stopped by the host,
 * or exited, also raises an event. The status is written only if it has not changed since it was read, so that it does not overwrite
 * the status of a deployment that has started since.
 */
export async function writeObservations(
  db: Database,
  changes: readonly ObservationChange[],
  { newId, at }: { newId: (kind: 'event') => string; at: number },
): Promise<void> {
  if (changes.length === 0) return;
  const states = changes.map(({ from, to }) => ({ ...to, statusBefore: from.status }));
  const write =
    db.run(sql`update services set status = iif(status = seen.value ->> 'statusBefore', seen.value ->> 'status', status),
      reachable = seen.value ->> 'reachable', crashed = seen.value ->> 'crashed',
      trouble = nullif(seen.value -> 'trouble', 'null'), sleep = nullif(seen.value -> 'sleep', 'null'),
      disk_mb = seen.value ->> 'diskMb'
    from json_each(${JSON.stringify(states)}) as seen where services.id = seen.value ->> 'id'`);
  const events = changes.flatMap((change) => [
    ...(isStoppedNow(change) ? [stopped(change.to, newId('event'), at)] : []),
    ...(isCrashedNow(change) ? [crashed(change.to, newId('event'), at)] : []),
    ...sleepChangesOf(change).map((seen) => ofSleep(change.to.id, seen, newId('event'), at)),
  ]);
  await db.batch([write, ...events.flatMap((event) => raiseEvent(db, event, sql`true`))]);
}

/** A stopped version no longer sleeps, but did not wake up. */
const sleepChangesOf = ({ from, to }: ObservationChange) =>
  to.sleep === null && !to.reachable ? [] : sleepChanges(from.sleep, to.sleep);

const ofSleep = (
  id: string,
  { type, trigger, sentence }: SleepChange,
  eventId: string,
  at: number,
): NewEvent => ({
  ...{ id: eventId, type, serviceId: id, resourceId: id, trigger, error: sentence, at },
  audit: { reason: trigger, status: 200 },
});

/** Whether the host has just stopped the container, which was not stopped before. */
const isStoppedNow = ({ from, to }: ObservationChange) =>
  to.trouble?.cause === 'disk_limit' && from.trouble?.cause !== 'disk_limit';

const stopped = ({ id, trouble }: ServiceObservation, eventId: string, at: number): NewEvent => ({
  ...{ id: eventId, type: 'service.stopped', serviceId: id, resourceId: id, trigger: null, at },
  error: trouble?.sentence ?? null,
  audit: { reason: 'disk_limit', status: 507 },
});

/** Whether the live version has just exited after a time without crashes: a crash loop is one event. */
const isCrashedNow = ({ from, to }: ObservationChange) =>
  to.trouble?.crash !== undefined && from.trouble?.crash === undefined;

const crashed = ({ id, trouble }: ServiceObservation, eventId: string, at: number): NewEvent => ({
  ...{ id: eventId, type: 'service.crashed', serviceId: id, resourceId: id, trigger: null, at },
  error: trouble?.sentence ?? null,
  audit: { reason: crashReason(trouble), status: 500 },
});

const crashReason = (trouble: ServiceTrouble | null) =>
  trouble?.cause === 'missing' ? 'missing' : trouble?.crash?.outOfMemory ? 'out_of_memory' : 'exited';

export interface MissingService {
  id: string;
  /** The live version to start again. */
  deploymentId: string;
  /** Failed starts of this version since it went live. */
  failures: number;
  /** Time of the last failed start; `null` if there was none. */
  failedAt: number | null;
}

/**
 * Services that should run, have no container and are due for another start: some of those with a connected host, in random order, so that those of
 * one tenant do not delay the others.
 */
export const listMissing = (db: Database, limit: number): Promise<MissingService[]> =>
  db.all<MissingService>(sql`select services.id, live.id as deploymentId, count(failed.id) as failures, max(failed.finished_at) as failedAt
    from services join deployments live on live.service_id = services.id and live.status = 'running'
      join runners on runners.id = services.runner_id
      left join deployments failed on failed.service_id = services.id and failed.source_deployment_id = live.id
        and failed.trigger = 'restart' and failed.status in ('failed', 'aborted')
    where services.trouble ->> 'cause' = 'missing' and live.created_at <= services.trouble ->> '$.crash.at' and ${isSettled} and runners.revoked_at is null and runners.connected_at is not null
    group by services.id order by random() limit ${limit}`);
