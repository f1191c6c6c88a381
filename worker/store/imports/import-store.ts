/** Imports, for clients that read and start them. data-job-store writes the reports of hosts. */
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import {
  insertDefaultSettings,
  insertRunningBackup,
  type NewBackup,
  queueDataJob,
} from '../backups/backup-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { imports } from '../schema/backups.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { inScope } from '../sql/scoped-store.ts';
import { startedByOf } from '../sql/started-by.ts';

export type ImportRow = typeof imports.$inferSelect;
/** An import and who started it; `null` if that is not recorded. */
export type StartedImport = ImportRow & { startedBy: Initiator | null };

const importColumns = { ...getTableColumns(imports), startedBy: startedByOf(imports.jobId) };

export type NewImport = Pick<
  ImportRow,
  'id' | 'serviceId' | 'engine' | 'source' | 'sourceLabel' | 'createdAt'
> & {
  jobId: string;
  startedBy: Initiator;
  /** Null for an import from a file. */
  sealedSource: string | null;
  /** The upload of an import from a file; otherwise `null`. */
  uploadId: string | null;
  /** @see ImportSpec */
  continueOnError: boolean;
  /** The project whose key seals the source: nothing is written if the service no longer belongs to it. */
  projectId: string;
  /** The safety copy of the data to be replaced; `null` if nothing may be replaced. */
  safety: NewBackup | null;
};

/**
 * @returns the host; undefined if the service is not deployed or was transferred, its host is revoked, another job uses its data, or the
 *   upload is no longer open
 */
export async function insertImport(db: Database, made: NewImport): Promise<string | undefined> {
  const { id, serviceId, projectId, jobId, engine, source, sourceLabel, sealedSource, safety, createdAt } =
    made;
  const continueOnError = made.continueOnError ? 1 : 0;
  const [[job]] = await db.batch([
    queueDataJob(
      db,
      { id: jobId, kind: 'import', serviceId, startedBy: made.startedBy, at: createdAt },
      isOpenUpload(made),
    ),
    db.run(sql`insert into imports (id, service_id, job_id, engine, source, source_label, sealed_source, status, safety_backup_id,
        continue_on_error, created_at, started_at)
      select ${id}, services.id, jobs.id, ${engine}, ${source}, ${sourceLabel}, ${sealedSource}, 'running', ${safety?.id ?? null},
        ${continueOnError}, ${createdAt}, ${createdAt}
      from jobs join services on services.id = jobs.service_id where jobs.id = ${jobId} and services.project_id = ${projectId}`),
    ...(made.uploadId === null ? [] : [useUpload(db, made)]),
    ...(safety ? [insertRunningBackup(db, safety), insertDefaultSettings(db, safety)] : []),
  ]);
  return job?.runnerId;
}

const isOpenUpload = ({ uploadId, serviceId, createdAt }: NewImport) =>
  sql`(${uploadId} is null or exists (select 1 from uploads open where open.id = ${uploadId} and open.service_id = ${serviceId}
    and open.import_id is null and open.expires_at > ${createdAt}))`;

/** Assigns the upload if the import was written. */
const useUpload = (db: Database, { id, uploadId }: NewImport) =>
  db.run(sql`update uploads set import_id = ${id}
    where id = ${uploadId} and exists (select 1 from imports where id = ${id})`);

export function selectImports(db: Database, serviceId: string, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: imports.createdAt, key: imports.id }, 'newest', page);
  return db
    .select(importColumns)
    .from(imports)
    .where(and(eq(imports.serviceId, serviceId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export async function findImport(db: Database, importId: string): Promise<StartedImport | undefined> {
  const [row] = await db.select(importColumns).from(imports).where(eq(imports.id, importId));
  return row;
}

/** An import of this service; imports of other services are not found. */
export function selectScopedImport(db: Database, tokenId: string, serviceId: string, importId: string) {
  return db
    .select({
      import: columnsAs(imports, 'import'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(imports)
    .innerJoin(services, eq(services.id, imports.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(sql`${imports.id} = ${importId} and ${services.id} = ${serviceId}`)
    .limit(1);
}
