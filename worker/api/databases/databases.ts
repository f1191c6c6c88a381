/** Browse, query and edit a database. */

import { z } from 'zod';
import {
  type DatabaseAnswerOf,
  databaseColumnSchema,
  databaseTableSchema,
  engineNames,
} from '../../../protocol/database.ts';
import { note } from '../../../protocol/note.ts';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { byteLength } from '../../domain/variables/variable-fields.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { integerParameter } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { askDatabase, engineOfDatabase } from '../../usecases/databases/ask-database.ts';

type Row = DatabaseAnswerOf<'rows'>['rows'][number];

const rowsMax = 500;
/** The runner truncates a statement's result at this many rows, or at 1 MB. */
const answerRowsMax = 1_000;
const statementBytesMax = 64 * 1024;
const wholeMax = 2 ** 31 - 1;

const engine = z.enum(engineNames);
const done = z.strictObject({ ok: z.literal(true).meta(notes.ok) });
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
    engine: engine.meta(notes.engine),
    tables: z.array(databaseTableSchema),
    cursor: z
      .string()
      .nullable()
      .optional()
      .meta(
        note(
          'Where the page begins: `nextCursor` of the one before. Of Redis keys in an answer: where the next page begins, null on the last one.',
          '128',
        ),
      ),
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
    table: table.meta(notes.table),
    limit: integerParameter(1, rowsMax).default(50),
    offset: integerParameter(0, Number.MAX_SAFE_INTEGER).default(0),
    database: integerParameter(0, wholeMax).optional(),
  }),
  reply: z.strictObject({
    engine: engine.meta(notes.engine),
    table: z.string().meta(notes.table),
    columns: z.array(databaseColumnSchema).meta(notes.columns),
    rows: z.array(row).meta(notes.rows),
    limit: z.int().meta(note('Most rows of an answer.', 50)),
    offset: z.int().meta(note('Rows to leave out before the first.', 0)),
    total: z.int().meta(note('Number of rows in all.', 1000)),
    ttl: z.number().nullable().optional().meta(note('Seconds until the Redis key expires; null: never.', 60)),
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
    sql: z
      .string()
      .min(1, 'is empty: give one statement')
      .meta(note('One statement: SQL, a Redis command line or a MongoDB command document.', 'select 1')),
    database: z
      .int(databaseRule)
      .min(0, databaseRule)
      .max(wholeMax, databaseRule)
      .optional()
      .meta(note('Number of the Redis database.', 0)),
  }),
  reply: z.strictObject({
    columns: z
      .array(
        z.strictObject({
          name: z.string().describe('Name of the column.'),
          type: z.string().describe('Type of the column.'),
        }),
      )
      .meta(notes.columns),
    rows: z.array(row).meta(notes.rows),
    rowCount: z
      .int()
      .meta(
        note(
          'Rows: an estimate above 100,000; of a statement that changes data, the rows that it changed.',
          42,
        ),
      ),
    truncated: z.boolean().describe('Whether more rows exist than were sent.'),
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
  body: z.strictObject({ table: table.meta(notes.table), values: row.meta(notes.values) }),
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
    ok: z.literal(true).meta(notes.ok),
    table: z.string().meta(notes.table),
    id: z
      .union([z.string(), z.number(), z.null()])
      .describe('Value of the primary key of the new row; null: not known.'),
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
  body: z.strictObject({
    table: table.meta(notes.table),
    primaryKey: primaryKey.meta(notes.primaryKey),
    values: changes.meta(notes.values),
  }),
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
  body: z.strictObject({ table: table.meta(notes.table), primaryKey: primaryKey.meta(notes.primaryKey) }),
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
