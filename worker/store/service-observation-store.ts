/** The states of services, as their hosts report them. */
import { eq, sql } from 'drizzle-orm';
import type { ServiceTrouble } from '../../protocol/service-trouble.ts';
import type { Database } from './database.ts';
import { services } from './schema/services.ts';

export interface ServiceObservation {
  id: string;
  status: (typeof services.$inferSelect)['status'];
  reachable: boolean;
  /** Whether the live version crashed, even if the status currently shows something else. */
  crashed: boolean;
  trouble: ServiceTrouble | null;
}

export function listObservations(db: Database, runnerId: string): Promise<ServiceObservation[]> {
  const { id, status, reachable, crashed, trouble } = services;
  return db
    .select({ id, status, reachable, crashed, trouble })
    .from(services)
    .where(eq(services.runnerId, runnerId));
}

/** The status is only written if it is unchanged since it was read, so that a deployment that started in the meantime keeps its own. */
export async function writeObservations(
  db: Database,
  changes: { from: ServiceObservation; to: ServiceObservation }[],
): Promise<void> {
  const [first, ...rest] = changes.map(({ from, to }) =>
    db
      .update(services)
      .set({
        status: sql`iif(status = ${from.status}, ${to.status}, status)`,
        reachable: to.reachable,
        crashed: to.crashed,
        trouble: to.trouble,
      })
      .where(eq(services.id, from.id)),
  );
  if (first) await db.batch([first, ...rest]);
}
