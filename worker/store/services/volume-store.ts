import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { volumesPerService } from '../../domain/services/volumes.ts';
import { insertDeletion, keepRows, type NewDeletion } from '../deletions/deletion-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { volumes } from '../schema/volumes.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { inScope } from '../sql/scoped-store.ts';

export type VolumeRow = typeof volumes.$inferSelect;

/** Volumes of a service in order of creation. */
export function selectVolumes(db: Database, serviceId: string | SQL) {
  return db
    .select()
    .from(volumes)
    .where(eq(volumes.serviceId, serviceId))
    .orderBy(asc(volumes.createdAt), asc(volumes.id));
}

/** Number of a service's volumes: one row. */
export const selectVolumeCount = (db: Database, serviceId: string | SQL) =>
  db.all<{ count: number }>(sql`select count(*) as count from volumes where service_id = ${serviceId}`);

/** Subquery for the id of the service of a deployment. */
export const serviceOfDeployment = (deploymentId: string): SQL =>
  sql`(select deployments.service_id from deployments where deployments.id = ${deploymentId})`;

export async function findVolume(db: Database, volumeId: string): Promise<VolumeRow | undefined> {
  const [row] = await db.select().from(volumes).where(eq(volumes.id, volumeId));
  return row;
}

/** A volume of this service; volumes of other services are not found. */
export function selectScopedVolume(db: Database, tokenId: string, serviceId: string, volumeId: string) {
  return db
    .select({
      volume: columnsAs(volumes, 'volume'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(volumes)
    .innerJoin(services, eq(services.id, volumes.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(and(eq(volumes.id, volumeId), eq(services.id, serviceId)))
    .limit(1);
}

/** Condition: no other volume of the service is inside this path, or contains it. */
const isApart = ({ id, serviceId, mountPath }: Pick<VolumeRow, 'id' | 'serviceId' | 'mountPath'>) =>
  sql`not exists (select 1 from volumes other where other.service_id = ${serviceId} and other.id <> ${id}
    and (instr(other.mount_path || '/', ${`${mountPath}/`}) = 1 or instr(${`${mountPath}/`}, other.mount_path || '/') = 1))`;

/** Condition: the service stays on its host, and can have one more volume. The same as `assertTakesVolume`, for concurrent requests. */
const takesOne = sql`services.kind <> 'database' and services.runtime_mode <> 'static' and services.replicas = 1 and services.sleep_after_minutes is null
  and coalesce(services.next_runner_id, services.runner_id) = services.runner_id
  and (select count(*) from volumes where volumes.service_id = services.id) < ${volumesPerService}`;

/** @returns a statement that writes no row if another request has changed the checked facts. It violates UNIQUE if the name is in use */
export function insertVolume(db: Database, volume: VolumeRow) {
  const { id, serviceId, name, mountPath, sizeMb, createdAt } = volume;
  return db.all<{
    id: string;
  }>(sql`insert into volumes (id, service_id, name, mount_path, size_mb, created_at, updated_at)
    select ${id}, services.id, ${name}, ${mountPath}, ${sizeMb}, ${createdAt}, ${createdAt}
    from services where services.id = ${serviceId} and ${takesOne} and ${isApart(volume)} returning id`);
}

/** @returns like `insertVolume` */
export function updateVolume(db: Database, volume: VolumeRow) {
  const { id, serviceId, name, mountPath, sizeMb, updatedAt } = volume;
  return db
    .update(volumes)
    .set({ name, mountPath, sizeMb, updatedAt })
    .where(and(eq(volumes.id, id), eq(volumes.serviceId, serviceId), isApart(volume)))
    .returning();
}

/** Deletes a volume and stores its row for a restore. Violates FOREIGN KEY if it no longer exists, or its service is protected. */
export function keepVolume(db: Database, deletion: NewDeletion, volumeId: string) {
  return [
    insertDeletion(db, deletion),
    ...keepRows(db, deletion),
    db.delete(volumes).where(eq(volumes.id, volumeId)),
  ] as const;
}

/** Stores sizes that the host has measured. Volumes of services on other hosts, and known sizes, do not change. */
export function writeVolumeUse(
  db: Database,
  runnerId: string,
  seen: readonly { id: string; usedMb: number }[],
) {
  return db.run(sql`update volumes set used_mb = seen.value ->> 'usedMb'
    from json_each(${JSON.stringify(seen)}) as seen
    where volumes.id = seen.value ->> 'id' and volumes.used_mb is not seen.value ->> 'usedMb'
      and volumes.service_id in (select id from services where runner_id = ${runnerId})`);
}
