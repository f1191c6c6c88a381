/** What should be on a host and in the bucket according to the rows, for a comparison with the actual contents. */
import { and, asc, gt, isNull, sql } from 'drizzle-orm';
import type { KnownRows, KnownService } from '../../domain/hosts/strays.ts';
import { runners } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';

/** Hosts that are not revoked, in the order of their ids. */
export function listHostsAfter(db: Database, after: string, limit: number) {
  return db
    .select({ id: runners.id, name: runners.name })
    .from(runners)
    .where(and(isNull(runners.revokedAt), gt(runners.id, after)))
    .orderBy(asc(runners.id))
    .limit(limit);
}

/** @param serviceIds services on the host: their rows are read too, even if they belong to another host */
export async function readKnownRows(
  db: Database,
  runnerId: string,
  serviceIds: readonly string[],
): Promise<KnownRows> {
  const ids = sql`(select value from json_each(${JSON.stringify(serviceIds)}))`;
  const [services, deleted, backups] = await db.batch([
    db.all<KnownService>(sql`select id, runner_id as runnerId, next_runner_id as nextRunnerId, kind,
        last_deployed_at as lastDeployedAt, (select deployments.id from deployments
          where deployments.service_id = services.id and deployments.status = 'running'
          order by created_at desc limit 1) as deploymentId
      from services where runner_id = ${runnerId} or id in ${ids}`),
    db.all<{ id: string }>(sql`select row ->> 'id' as id from deleted_rows
      where source = 'services' and row ->> 'id' in ${ids}`),
    db.all<{ id: string; serviceId: string; isDeleted: number }>(sql`
      select id, service_id as serviceId, 0 as isDeleted from backups where local_path is not null
        and status = 'succeeded' and service_id in (select id from services where runner_id = ${runnerId})
      union all select row ->> 'id', row ->> 'service_id', 1 from deleted_rows
        where source = 'backups' and row ->> 'service_id' in ${ids}`),
  ]);
  return {
    services,
    deletedIds: new Set(deleted.map(({ id }) => id)),
    backups: backups.map((backup) => ({ ...backup, isDeleted: backup.isDeleted === 1 })),
  };
}

/** Names of objects in the rows between these two names, in byte order; `kept`: the row belongs to a deleted backup. */
export function listNamedObjects(
  db: Database,
  after: string,
  through: string,
): Promise<{ key: string; backupId: string; serviceId: string; kept: number }[]> {
  return db.all(sql`select * from (
      select remote_key as key, id as backupId, service_id as serviceId, 0 as kept from backups
        where remote_key is not null
      union all select row ->> 'remote_key', row ->> 'id', row ->> 'service_id', 1 from deleted_rows
        where source = 'backups' and row ->> 'remote_key' is not null)
    where key > ${after} and key <= ${through} order by key`);
}
