/** Imports into databases from a server, by its URL. */

import { z } from 'zod';
import { importSources, type UrlSourceKind, urlSources } from '../../../protocol/import-source.ts';
import { progressSchema } from '../../../protocol/job-report.ts';
import { note } from '../../../protocol/note.ts';
import { urlSourceOf } from '../../domain/databases/import-sources.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { importResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyCall, type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import {
  findImport,
  type ImportRow,
  type StartedImport,
  selectImports,
} from '../../store/imports/import-store.ts';
import { engineOfDatabase } from '../../usecases/databases/ask-database.ts';
import { startImport } from '../../usecases/imports/start-import.ts';
import { abortDataJob } from '../../usecases/jobs/abort-data-job.ts';
import { startedBySchema } from '../present/present-initiator.ts';

const states = ['running', 'succeeded', 'failed'] as const;

const importSchema = z.object({
  id: idOf('import'),
  serviceId: z.string().meta(notes.serviceId),
  engine: z.string().meta(notes.engine),
  source: z.enum(importSources).meta(notes.source),
  sourceLabel: z.string().meta(note('The source without its password.', 'db.example.net:5432/shop')),
  status: z.enum(states).meta(notes.state),
  startedBy: startedBySchema,
  progress: progressSchema.nullable().meta(notes.progress),
  error: z.string().nullable().meta(notes.error),
  safetyBackupId: z
    .string()
    .nullable()
    .describe(
      'The backup of the replaced data; null if nothing may be replaced, or if the import failed before the backup.',
    ),
  continueOnError: z.boolean().meta(notes.continueOnError),
  skipped: z.array(z.string()).describe('What was left out, one sentence each; empty: nothing.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  startedAt: timestampSchema.meta(notes.startedAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});

export const importResultSchema = z.object({
  id: idOf('import'),
  status: z.enum(states).meta(notes.state),
  source: z.enum(importSources).meta(notes.source),
  createdAt: timestampSchema.meta(notes.createdAt),
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
  reply: z.object({ imports: z.array(importSchema).describe('The imports, newest first.'), ...nextCursor }),
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
  reply: z.object({ accepted: z.literal(true).meta(notes.accepted) }),
  async handle({ deps, resource }) {
    await abortDataJob(deps, resource.import);
    return { accepted: true as const };
  },
});

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

/** Only PostgreSQL's tool can continue after an object that can't be loaded. */
function bodyOf(source: UrlSourceKind): z.ZodType<UrlBody> {
  const body = z.strictObject({
    sourceUrl: z
      .string()
      .meta(
        note(
          'URL of the source, with user and password. Never returned.',
          'postgres://user:pass@db.example.net:5432/shop',
        ),
      ),
    replace: z.boolean().optional().meta(notes.replace),
  });
  return source === 'postgres-url'
    ? body.extend({ continueOnError: z.boolean().optional().meta(notes.continueOnError) })
    : body;
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

function present(row: StartedImport): z.infer<typeof importSchema> {
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
