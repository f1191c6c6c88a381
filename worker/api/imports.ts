/** Imports into databases from a server, by its URL. */

import { z } from 'zod';
import { importSources, type UrlSourceKind, urlSources } from '../../protocol/import-source.ts';
import { progressSchema } from '../../protocol/job-report.ts';
import { urlSourceOf } from '../domain/databases/import-sources.ts';
import { nextCursor, pageByCreation, pageQuery } from '../http/paging.ts';
import { importResource, parameter, serviceResource } from '../http/resources.ts';
import { type AnyCall, type AnyRoute, defineRoute } from '../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../http/timestamps.ts';
import { findImport, type ImportRow, selectImports } from '../store/backups/import-store.ts';
import { engineOfDatabase } from '../usecases/databases/ask-database.ts';
import { startImport } from '../usecases/imports/start-import.ts';
import { abortDataJob } from '../usecases/jobs/abort-data-job.ts';

const states = ['running', 'succeeded', 'failed'] as const;

const importSchema = z.object({
  id: z.string(),
  serviceId: z.string(),
  engine: z.string(),
  source: z.enum(importSources),
  /** Host and database; never credentials. */
  sourceLabel: z.string(),
  status: z.enum(states),
  progress: progressSchema.nullable(),
  error: z.string().nullable(),
  /** The backup of the replaced data; null if nothing may be replaced, or if the import failed before the backup. */
  safetyBackupId: z.string().nullable(),
  /** Objects that can't be loaded are left out. */
  continueOnError: z.boolean(),
  /** What was left out, one sentence each; empty: nothing. */
  skipped: z.array(z.string()),
  createdAt: timestampSchema,
  startedAt: timestampSchema,
  finishedAt: timestampSchema.nullable(),
});

export const importResultSchema = z.object({
  id: z.string(),
  status: z.enum(states),
  source: z.enum(importSources),
  createdAt: timestampSchema,
});

const database = '/api/services/:serviceId/database';

const list = defineRoute({
  method: 'GET',
  path: `${database}/imports`,
  access: 'read',
  summary:
    'List the imports into a database, newest first, each with its progress or the reason of its failure.',
  resource: serviceResource,
  query: pageQuery(500),
  reads: (db, { params, query }) => ({ imports: selectImports(db, parameter(params, 'serviceId'), query) }),
  reply: z.object({ imports: z.array(importSchema), ...nextCursor }),
  async handle({ resource, read, query }) {
    engineOfDatabase(resource.service);
    const { rows, next } = pageByCreation(read.imports, query);
    return { imports: rows.map(present), ...next };
  },
});

const abort = defineRoute({
  method: 'POST',
  path: `${database}/imports/:importId/abort`,
  access: 'write',
  summary: 'Abort a running import; the database stays unchanged.',
  resource: importResource,
  reply: z.object({ accepted: z.literal(true) }),
  async handle({ deps, resource }) {
    await abortDataJob(deps, resource.import);
    return { accepted: true as const };
  },
});

/** For imports from any source. */
export const createsImport = {
  kind: 'import' as const,
  async find({ deps }: Pick<AnyCall, 'deps'>, id: string) {
    const row = await findImport(deps.db, id);
    return row && { result: presentResult(row) };
  },
};

interface UrlBody {
  sourceUrl: string;
  replace?: boolean | undefined;
  continueOnError?: boolean | undefined;
}

/** Only the tool of PostgreSQL can go on after an object that can't be loaded. */
function bodyOf(source: UrlSourceKind): z.ZodType<UrlBody> {
  const body = z.strictObject({ sourceUrl: z.string(), replace: z.boolean().optional() });
  return source === 'postgres-url' ? body.extend({ continueOnError: z.boolean().optional() }) : body;
}

const importFrom = (source: UrlSourceKind) =>
  defineRoute({
    method: 'POST',
    path: `${database}/import/${source}`,
    access: 'write',
    summary: urlSourceOf[source].summary,
    resource: serviceResource,
    body: bodyOf(source),
    creates: createsImport,
    reply: z.object({ result: importResultSchema }),
    async handle({ deps, resource, body: { sourceUrl, replace = false, continueOnError = false } }) {
      const wanted = { source, sourceUrl, replace, continueOnError };
      return { result: presentResult(await startImport(deps, resource, wanted)) };
    },
  });

export const importRoutes: AnyRoute[] = [list, ...urlSources.map(importFrom), abort];

function present(row: ImportRow): z.infer<typeof importSchema> {
  const { jobId: _, sealedSource: __, createdAt, startedAt, finishedAt, ...shown } = row;
  return {
    ...shown,
    skipped: row.skipped ?? [],
    progress: row.status === 'running' ? row.progress : null,
    createdAt: timestamp(createdAt),
    startedAt: timestamp(startedAt),
    finishedAt: timestampOrNull(finishedAt),
  };
}

export const presentResult = ({
  id,
  status,
  source,
  createdAt,
}: ImportRow): z.infer<typeof importResultSchema> => ({
  id,
  status,
  source,
  createdAt: timestamp(createdAt),
});
