/** Volumes hold a service on its host: their data is there. */
import { sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';

/** Condition on `services`: nothing of its data would stay behind on another host, not even what is deleted and can be restored. */
export const hasNoVolumes = sql`not exists (select 1 from volumes where volumes.service_id = services.id)
  and not exists (select 1 from deletions where deletions.kind = 'volume' and deletions.service_id = services.id)`;

/** Condition on `services`: it does not move with its volumes at the moment. */
export const isNotMoving = sql`not exists (select 1 from volume_moves where volume_moves.service_id = services.id
  and volume_moves.status = 'running')`;

export interface VolumeHolds {
  live: number;
  /** Can still be restored. */
  deleted: number;
}

/** How many volumes hold a service on its host: one row. */
export const selectVolumeHolds = (db: Database, serviceId: string) =>
  db.all<VolumeHolds>(sql`select
    (select count(*) from volumes where service_id = ${serviceId}) as live,
    (select count(*) from deletions where kind = 'volume' and service_id = ${serviceId}) as deleted`);
