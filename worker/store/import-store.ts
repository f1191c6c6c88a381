/** Imports as clients see and start them; what hosts report of them is data-job-store's. */
import { desc, eq, sql } from 'drizzle-orm';
import { insertDefaultSettings, insertRunningBackup, type NewBackup, queueDataJob } from './backup-store.ts';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { apiKeys } from './schema/api-keys.ts';
import { imports } from './schema/backups.ts';
import { projects } from './schema/projects.ts';
import { services } from './schema/services.ts';
import { inScope } from './scoped-store.ts';

export type ImportRow = typeof imports.$inferSelect;

/** Newest first. */
const listedMax = 500;

export type NewImport = Pick<
  ImportRow,
  'id' | 'serviceId' | 'engine' | 'source' | 'sourceLabel' | 'createdAt'
> & {
  jobId: string;
  sealedSource: string;
  /** With its key the source is sealed: a service that has moved since has none of this. */
  projectId: string;
  /** Of what is there and may go; null: nothing may. */
  safety: NewBackup | null;
};

/** @returns its host; undefined when the service is not deployed, has moved, its host is revoked, or another job works on its data. */
export async function insertImport(db: Database, made: NewImport): Promise<string | undefined> {
  const { id, serviceId, projectId, jobId, engine, source, sourceLabel, sealedSource, safety, createdAt } =
    made;
  const [[job]] = await db.batch([
    queueDataJob(db, { id: jobId, kind: 'import', serviceId, at: createdAt }),
    db.run(sql`insert into imports (id, service_id, job_id, engine, source, source_label, sealed_source, status, safety_backup_id,
        created_at, started_at)
      select ${id}, services.id, jobs.id, ${engine}, ${source}, ${sourceLabel}, ${sealedSource}, 'running', ${safety?.id ?? null},
        ${createdAt}, ${createdAt}
      from jobs join services on services.id = jobs.service_id where jobs.id = ${jobId} and services.project_id = ${projectId}`),
    ...(safety ? [insertRunningBackup(db, safety), insertDefaultSettings(db, safety)] : []),
  ]);
  return job?.runnerId;
}

export const selectImports = (db: Database, serviceId: string) =>
  db
    .select()
    .from(imports)
    .where(eq(imports.serviceId, serviceId))
    .orderBy(desc(imports.createdAt), desc(sql`imports.rowid`))
    .limit(listedMax);

export async function findImport(db: Database, importId: string): Promise<ImportRow | undefined> {
  const [row] = await db.select().from(imports).where(eq(imports.id, importId));
  return row;
}

/** An import of this very service. */
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
