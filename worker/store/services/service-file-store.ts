/** Mounted files of services, sealed. */
import { eq, type SQL, sql } from 'drizzle-orm';
import { serviceFiles } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';

/** The sealed list of a service's files: one row, or none if it never had files. */
export function selectServiceFiles(db: Database, serviceId: string | SQL) {
  return db
    .select({ serviceId: serviceFiles.serviceId, sealedFiles: serviceFiles.sealedFiles })
    .from(serviceFiles)
    .where(eq(serviceFiles.serviceId, serviceId));
}

/** Identifies a ciphertext by its random IV (security/secret-envelope): `v1.` and 16 characters. */
const versionLength = 19;

/** Condition: the files of a service have not changed since they were read. Plain SQL text, for use in a statement on another table. */
export const filesAsSeen = (serviceId: string, seen: string | null): SQL =>
  sql`not exists (select 1 from service_files where service_id = ${serviceId}
    and substr(sealed_files, 1, ${sql.raw(String(versionLength))}) is not ${seen?.slice(0, versionLength) ?? null})`;

/**
 * Replaces the files of a service.
 * @param projectId the project whose key seals them
 * @param seen the ciphertext from which they were read; null if there was none
 * @returns false if another request has changed them since, or the service has left this project or no longer exists; nothing was written then
 */
export async function putServiceFiles(
  db: Database,
  projectId: string,
  { serviceId, sealedFiles, updatedAt }: typeof serviceFiles.$inferSelect,
  seen: string | null,
): Promise<boolean> {
  const { meta } = await db.run(sql`
    insert into service_files (service_id, sealed_files, updated_at)
    select id, ${sealedFiles}, ${updatedAt} from services
    where id = ${serviceId} and project_id = ${projectId} and ${filesAsSeen(serviceId, seen)}
    on conflict (service_id) do update set sealed_files = excluded.sealed_files, updated_at = excluded.updated_at`);
  return meta.changes > 0;
}

/** Replaces the ciphertext, for the same files under another key. */
export const replaceSealedFiles = (db: Database, serviceId: string, sealedFiles: string) =>
  db.update(serviceFiles).set({ sealedFiles }).where(eq(serviceFiles.serviceId, serviceId));
