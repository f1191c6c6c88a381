/** Volumes bind a service to its host, which has their data. */
import { sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';

/** Condition on `services`: none of the service's data would remain on the old host, not even deleted data that can be restored. */
export const hasNoVolumes = sql`not exists (select 1 from volumes where volumes.service_id = services.id)
  and not exists (select 1 from deletions where deletions.kind = 'volume' and deletions.service_id = services.id)`;

/** Condition on `services`: the service is not being moved with its volumes. */
export const isNotMoving = sql`not exists (select 1 from volume_moves where volume_moves.service_id = services.id
  and volume_moves.status = 'running')`;

export interface VolumeHolds {
  live: number;
  /** Number of deleted volumes that can still be restored. */
  deleted: number;
}

/** Number of volumes that bind a service to its host: one row. */
export const selectVolumeHolds = (db: Database, serviceId: string) =>
  db.all<VolumeHolds>(sql`select
    (select count(*) from volumes where service_id = ${serviceId}) as live,
    (select count(*) from deletions where kind = 'volume' and service_id = ${serviceId}) as deleted`);
