/** Browse, query and edit a database. */
import { z } from 'zod';
import {
  type DatabaseAnswerOf,
  databaseColumnSchema,
  databaseTableSchema,
  engineNames,
} from '../../protocol/database.ts';
import { ApiError } from '../domain/errors.ts';
import { byteLength } from '../domain/variables/variable-fields.ts';
import { integerParameter } from '../http/paging.ts';
import { serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import type { ServiceRow } from '../store/services/service-store.ts';
import { askDatabase, engineOfDatabase } from '../usecases/databases/ask-database.ts';

type Row = DatabaseAnswerOf<'rows'>['rows'][number];

const rowsMax = 500;
/** The runner cuts the answer of a statement here, or at 1 MB. */
const answerRowsMax = 1_000;
const statementBytesMax = 64 * 1024;
const wholeMax = 2 ** 31 - 1;

const engine = z.enum(engineNames);
const done = z.strictObject({ ok: z.literal(true) });
/** Any JSON value. The body is already parsed JSON, and type generators can't name a recursive schema. */
const value: z.ZodType<Row[string]> = z.any();
const row: z.ZodType<Row> = z.record(z.string(), value);
const table = z.string().min(1, 'is empty: give a table id from GET .../database/tables');
const primaryKey = row.refine(hasMembers, 'is empty: give every column of the primary key and its value');
const changes = row.refine(hasMembers, 'is empty: give each column to change and its new value');
const databaseRule = `must be the number of a logical database, from 0 to ${wholeMax}`;

function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0;
}

const tables = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/database/tables',
  access: 'read',
  summary:
    'List the tables of a database. Redis: each key is a table, at most 2,000 per page; `cursor` continues, `match` filters, `database` selects the logical database.',
  resource: serviceResource,
  query: z.strictObject({
    database: integerParameter(0, wholeMax).optional(),
    cursor: z.string().optional(),
    match: z.string().optional(),
  }),
  reply: z.strictObject({
    engine,
    tables: z.array(databaseTableSchema),
    cursor: z.string().nullable().optional(),
  }),
  async handle({ deps, resource: { service }, query }) {
    assertForRedis(service, query, 'query parameter');
    const answer = await askDatabase(deps, service, { action: 'tables', ...query });
    return { engine: engineOfDatabase(service), ...answer };
  },
});

const rows = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/database/rows',
  access: 'read',
  summary:
    'Read one page of a table, in primary key order. Redis only: `ttl`, the seconds until the key expires.',
  resource: serviceResource,
  query: z.strictObject({
    table,
    limit: integerParameter(1, rowsMax).default(50),
    offset: integerParameter(0, Number.MAX_SAFE_INTEGER).default(0),
    database: integerParameter(0, wholeMax).optional(),
  }),
  reply: z.strictObject({
    engine,
    table: z.string(),
    columns: z.array(databaseColumnSchema),
    rows: z.array(row),
    limit: z.int(),
    offset: z.int(),
    total: z.int(),
    ttl: z.number().nullable().optional(),
  }),
  async handle({ deps, resource: { service }, query }) {
    const { database } = query;
    assertForRedis(service, { database }, 'query parameter');
    const answer = await askDatabase(deps, service, { action: 'rows', ...query });
    const { table: id, limit, offset } = query;
    return { engine: engineOfDatabase(service), table: id, limit, offset, ...answer };
  },
});

const query = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/database/query',
  access: 'write',
  summary:
    'Run one statement: SQL, a Redis command line, or a MongoDB command as JSON. Times out after 15 s; results above 1,000 rows or 1 MB are `truncated`.',
  resource: serviceResource,
  body: z.strictObject({
    sql: z.string().min(1, 'is empty: give one statement'),
    database: z.int(databaseRule).min(0, databaseRule).max(wholeMax, databaseRule).optional(),
  }),
  reply: z.strictObject({
    columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
    rows: z.array(row),
    rowCount: z.int(),
    truncated: z.boolean(),
    truncatedBy: z
      .enum(['rows', 'bytes'])
      .optional()
      .describe(
        'Only if `truncated`: which limit cut the answer. `bytes` with no row: the first row alone is larger than 1 MB.',
      ),
  }),
  async handle({ deps, resource: { service }, body: { sql, database } }) {
    assertForRedis(service, { database }, 'field');
    assertStatementFits(sql);
    const answer = await askDatabase(deps, service, { action: 'query', text: sql, database });
    if (!answer.truncated) return answer;
    return { ...answer, truncatedBy: answer.rows.length >= answerRowsMax ? 'rows' : 'bytes' };
  },
});

const insert = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/database/rows',
  access: 'write',
  summary: 'Insert a row. `id` is its primary key; for a composite key, its columns as JSON text.',
  resource: serviceResource,
  body: z.strictObject({ table, values: row }),
  creates: {
    // A first attempt without an answer may have inserted the row, and only a person can recognise it.
    async find() {
      throw new ApiError(
        'timeout',
        'The result of the first request with this Idempotency-Key is unknown. Check whether the row exists; if not, retry with a new key.',
      );
    },
  },
  reply: z.strictObject({
    ok: z.literal(true),
    table: z.string(),
    id: z.union([z.string(), z.number(), z.null()]),
  }),
  async handle({ deps, resource: { service }, body }) {
    const { id } = await askDatabase(deps, service, { action: 'insert', ...body });
    return { ok: true as const, table: body.table, id };
  },
});

const update = defineRoute({
  method: 'PATCH',
  path: '/api/services/:serviceId/database/rows',
  access: 'write',
  summary: 'Change exactly one row, identified by its primary key; 404 if it does not exist.',
  resource: serviceResource,
  body: z.strictObject({ table, primaryKey, values: changes }),
  reply: done,
  async handle({ deps, resource: { service }, body }) {
    await askDatabase(deps, service, { action: 'update', ...body });
    return { ok: true as const };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/services/:serviceId/database/rows',
  access: 'write',
  summary: 'Delete exactly one row, identified by its primary key; 404 if it does not exist.',
  resource: serviceResource,
  body: z.strictObject({ table, primaryKey }),
  reply: done,
  async handle({ deps, resource: { service }, body }) {
    await askDatabase(deps, service, { action: 'delete', ...body });
    return { ok: true as const };
  },
});

/** @throws ApiError `unsupported`; `invalid_request` for an option that only Redis has */
function assertForRedis(service: ServiceRow, given: Record<string, unknown>, part: string): void {
  if (engineOfDatabase(service) === 'redis') return;
  const name = Object.keys(given).find((one) => given[one] !== undefined);
  if (name === undefined) return;
  throw new ApiError('invalid_request', `The ${part} "${name}" is only for Redis: leave it out.`);
}

/** @throws ApiError `payload_too_large` */
function assertStatementFits(sql: string): void {
  if (byteLength(sql) <= statementBytesMax) return;
  throw new ApiError(
    'payload_too_large',
    `The field "sql" is too large: a statement can have at most ${statementBytesMax / 1024} KB.`,
  );
}

export const databaseRoutes: AnyRoute[] = [tables, rows, query, insert, update, remove];
