/** What hosts see of their services. */
import { and, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { services } from './schema/services.ts';

export interface ServiceObservation {
  id: string;
  status: (typeof services.$inferSelect)['status'];
  reachable: boolean;
}

export function listObservations(db: Database, runnerId: string): Promise<ServiceObservation[]> {
  return db
    .select({ id: services.id, status: services.status, reachable: services.reachable })
    .from(services)
    .where(eq(services.runnerId, runnerId));
}

/** Each is written only over the status it was derived from: a deployment that began meanwhile keeps its own. */
export async function writeObservations(
  db: Database,
  changes: { from: ServiceObservation; to: ServiceObservation }[],
): Promise<void> {
  const [first, ...rest] = changes.map(({ from, to }) =>
    db
      .update(services)
      .set({ status: to.status, reachable: to.reachable })
      .where(and(eq(services.id, from.id), eq(services.status, from.status))),
  );
  if (first) await db.batch([first, ...rest]);
}
