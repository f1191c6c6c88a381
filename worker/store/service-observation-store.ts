/** The states of services, as their hosts report them. */
import { eq, sql } from 'drizzle-orm';
import type { ServiceTrouble } from '../../protocol/service-trouble.ts';
import type { Database } from './database.ts';
import { type NewEvent, raiseEvent } from './event-store.ts';
import { services } from './schema/services.ts';

export interface ServiceObservation {
  id: string;
  status: (typeof services.$inferSelect)['status'];
  reachable: boolean;
  /** Whether the live version crashed, even if the status currently shows something else. */
  crashed: boolean;
  trouble: ServiceTrouble | null;
  /** What it holds on the host's disk, in units of 2^20 bytes; null: not measured. */
  diskMb: number | null;
}

export interface ObservationChange {
  from: ServiceObservation;
  to: ServiceObservation;
}

export function listObservations(db: Database, runnerId: string): Promise<ServiceObservation[]> {
  const { id, status, reachable, crashed, trouble, diskMb } = services;
  return db
    .select({ id, status, reachable, crashed, trouble, diskMb })
    .from(services)
    .where(eq(services.runnerId, runnerId));
}

/** A container that the host stopped is also an event. The status is only written if it is unchanged since it was read, so that a deployment that started in the meantime keeps its own. */
export async function writeObservations(
  db: Database,
  changes: readonly ObservationChange[],
  { newId, at }: { newId: (kind: 'event') => string; at: number },
): Promise<void> {
  const [first, ...rest] = changes.flatMap(({ from, to }) => [
    db
      .update(services)
      .set({
        status: sql`iif(status = ${from.status}, ${to.status}, status)`,
        reachable: to.reachable,
        crashed: to.crashed,
        trouble: to.trouble,
        diskMb: to.diskMb,
      })
      .where(eq(services.id, from.id)),
    ...(isStoppedNow({ from, to }) ? raiseEvent(db, stopped(to, newId('event'), at), sql`true`) : []),
  ]);
  if (first) await db.batch([first, ...rest]);
}

/** The host has just stopped the container, and it was not the one before the change. */
const isStoppedNow = ({ from, to }: ObservationChange) =>
  to.trouble?.cause === 'disk_limit' && from.trouble?.cause !== 'disk_limit';

const stopped = ({ id, trouble }: ServiceObservation, eventId: string, at: number): NewEvent => ({
  ...{ id: eventId, type: 'service.stopped', serviceId: id, resourceId: id, trigger: null, at },
  error: trouble?.sentence ?? null,
  audit: { reason: 'disk_limit', status: 507 },
});
