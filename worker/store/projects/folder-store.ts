/** Uploaded folders from which services are built: rows of `uploads` that a deployment has used. */
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import { deployments } from '../schema/deployments.ts';
import { uploads } from '../schema/uploads.ts';
import type { Database } from '../sql/database.ts';

type UploadRow = typeof uploads.$inferSelect;

/** Condition on `uploads`: an unfinished deployment builds this folder. */
export const isAwaited = sql`exists (select 1 from deployments waiting where waiting.service_id = uploads.service_id
  and waiting.source_digest = uploads.checksum and waiting.status in ('queued', 'building'))`;

/** Rows of the folder that the deployment in `deployments` builds: with its digest, otherwise the newest. */
const ofDeployment = sql`from uploads folder where folder.service_id = deployments.service_id
  and folder.used_at is not null and folder.expires_at > 0
  and folder.checksum = coalesce(deployments.source_digest, folder.checksum) order by folder.used_at desc limit 1`;

/** The folder as a subquery for a query that joins `deployments`. */
export const folderOfDeployment = sql<{ checksum: string; sizeBytes: number } | null>`(
  select json_object('checksum', folder.checksum, 'sizeBytes', folder.size_bytes) ${ofDeployment})`.mapWith(
  (text: string) => JSON.parse(text) as { checksum: string; sizeBytes: number },
);

/** The id of the folder's upload. */
export const folderIdOfDeployment = sql`(select folder.id ${ofDeployment})`;

/** An upload of the same bytes that is stored or still being received, so that they are not sent twice. */
export async function findSameFolder(
  db: Database,
  { serviceId, checksum, sizeBytes }: Pick<UploadRow, 'serviceId' | 'checksum' | 'sizeBytes'>,
  now: number,
): Promise<UploadRow | undefined> {
  const [row] = await db
    .select()
    .from(uploads)
    .where(
      sql`service_id = ${serviceId} and checksum = ${checksum} and size_bytes = ${sizeBytes} and expires_at > ${now}`,
    )
    .orderBy(sql`used_at desc nulls last, created_at`)
    .limit(1);
  return row;
}

/** The stored folders of a service, the last deployed one first. */
export const selectFolders = (db: Database, serviceId: string) =>
  db
    .select()
    .from(uploads)
    .where(and(eq(uploads.serviceId, serviceId), isNotNull(uploads.usedAt), sql`expires_at > 0`))
    .orderBy(desc(uploads.usedAt));

/** Stores a folder with joined parts beyond its expiry. @returns false if it has expired or was deleted */
export async function keepFolder(
  db: Database,
  { id, expiresAt }: Pick<UploadRow, 'id' | 'expiresAt'>,
  now: number,
): Promise<boolean> {
  const kept = await db
    .update(uploads)
    .set({ usedAt: now, expiresAt })
    .where(and(eq(uploads.id, id), sql`expires_at > ${now}`))
    .returning({ id: uploads.id });
  return kept.length > 0;
}

/** Releases all folders of a service except the last `count` and those for which a deployment waits; the hourly sweep removes them. */
export async function releaseOldFolders(db: Database, serviceId: string, count: number): Promise<void> {
  await db.run(sql`update uploads set expires_at = 0 where service_id = ${serviceId} and used_at is not null and not ${isAwaited}
    and id not in (select id from uploads newest where newest.service_id = ${serviceId} and newest.used_at is not null
      and newest.expires_at > 0 order by newest.used_at desc limit ${count})`);
}

/** Releases the folder of a deployment if its bytes differ from the announced ones, so that the folder is sent again. */
export async function releaseFolderOf(db: Database, deploymentId: string): Promise<void> {
  await db.run(sql`update uploads set expires_at = 0 where used_at is not null and (service_id, checksum) in (
    select ${deployments.serviceId}, ${deployments.sourceDigest} from ${deployments} where ${deployments.id} = ${deploymentId})`);
}
