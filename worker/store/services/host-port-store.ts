/** Gives a service another port of its host. Like a move to another host, the change waits for the next deployment while a version serves. */
import { and, eq, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import { takenPorts } from '../hosts/placement-store.ts';
import { deployments } from '../schema/deployments.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import {
  lowestFreePort,
  openJobs,
  type PortBlock,
  type ServiceRow,
  selectActiveJob,
} from './service-store.ts';

export interface PortChange {
  /** Undefined for the lowest free port. */
  wanted: number | undefined;
  ports: PortBlock;
  /** Ports on which programs listen. */
  busy: readonly number[];
  at: number;
}

type Service = Pick<ServiceRow, 'id' | 'runnerId'>;

/**
 * Two statements for one batch: the first changes the port at once for a service without live version and open jobs, the second
 * reserves the port for the next deployment of any other service. Neither changes a row if the port is in use, if a job is active, or
 * if the service is about to move to another host.
 */
export function changeHostPort(db: Database, service: Service, change: PortChange) {
  const port = freePort(service, change);
  const { id } = service;
  const live = db
    .select({ one: sql`1` })
    .from(deployments)
    .where(and(eq(deployments.serviceId, id), eq(deployments.status, 'running')));
  const stays = and(
    eq(services.id, id),
    or(isNull(services.nextRunnerId), eq(services.nextRunnerId, services.runnerId)),
    sql`${port} is not null`,
  );
  const isIdle = and(notExists(openJobs(db, id)), notExists(live));
  return [
    db
      .update(services)
      .set({ nextRunnerId: sql`runner_id`, nextHostPort: port, updatedAt: change.at })
      .where(and(stays, sql`not (${isIdle})`, notExists(selectActiveJob(db, id)))),
    db
      .update(services)
      .set({ hostPort: port, nextRunnerId: null, nextHostPort: null, updatedAt: change.at })
      .where(and(stays, isIdle)),
  ] as const;
}

/** Cancels a planned change. @returns a statement that changes no row if a job is active */
export function keepHostPort(db: Database, serviceId: string, at: number) {
  return db
    .update(services)
    .set({ nextRunnerId: null, nextHostPort: null, updatedAt: at })
    .where(
      and(
        eq(services.id, serviceId),
        eq(services.nextRunnerId, services.runnerId),
        notExists(selectActiveJob(db, serviceId)),
      ),
    );
}

/** Null if there is no free port. */
function freePort({ runnerId }: Service, { wanted, ports, busy }: PortChange): SQL<number> {
  const taken = takenPorts(runnerId, busy);
  if (wanted === undefined) return lowestFreePort(ports, taken);
  return sql<number>`(select ${wanted} where ${wanted} not in (${taken}))`;
}
