/**
 * Queries and edits of a running database, which its host runs through the engine's driver, and their answers.
 * Values are lossless JSON: 64-bit integers and decimals are strings, binary is `\x` hex, times are ISO 8601 text with the engine's own
 * precision.
 */

import { z } from 'zod';
import { note } from './note.ts';

export const engineNames = ['postgres', 'timescale', 'mysql', 'redis', 'mongodb', 'clickhouse'] as const;

const table = z.string();
const record = z.record(z.string(), z.json());
/** Redis only: the logical database. */
const database = z.number().int().optional();

export const databaseAskSchema = z.discriminatedUnion('action', [
  /** `cursor` and `match`: Redis only, for paging and filtering keys. */
  z.object({
    action: z.literal('tables'),
    database,
    cursor: z.string().optional(),
    match: z.string().optional(),
  }),
  z.object({ action: z.literal('rows'), table, limit: z.number().int(), offset: z.number().int(), database }),
  z.object({ action: z.literal('query'), text: z.string(), database }),
  z.object({ action: z.literal('insert'), table, values: record }),
  z.object({ action: z.literal('update'), table, primaryKey: record, values: record }),
  z.object({ action: z.literal('delete'), table, primaryKey: record }),
]);

export const databaseTableSchema = z.object({
  id: z.string().meta(note('Id of the table, for the other routes.', 'public.orders')),
  name: z.string().meta(note('Name of the table.', 'orders')),
  schema: z
    .string()
    .meta(
      note(
        'Schema of the table; of MySQL, MongoDB and ClickHouse its database, of Redis the type of the key.',
        'public',
      ),
    ),
  rowCount: z
    .number()
    .int()
    .meta(
      note(
        'Rows: an estimate above 100,000; of a statement that changes data, the rows that it changed.',
        42,
      ),
    ),
});

export const databaseColumnSchema = z.object({
  name: z.string().meta(note('Name of the column.', 'status')),
  type: z.string().meta(note('Type of the column.', 'text')),
  primary: z.boolean().describe('Whether the column is part of the primary key.'),
});

export const databaseAnswerSchemas = {
  tables: z.object({ tables: z.array(databaseTableSchema), cursor: z.string().nullable().optional() }),
  rows: z.object({
    columns: z.array(databaseColumnSchema),
    rows: z.array(record),
    total: z.number().int(),
    /** Redis: seconds until the key expires; null if it does not expire. */
    ttl: z.number().nullable().optional(),
  }),
  query: z.object({
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(record),
    /** For a statement that changes data: the number of changed rows. */
    rowCount: z.number().int(),
    /** The result had more than 1,000 rows or 1 MB. */
    truncated: z.boolean(),
  }),
  /** Key of the new row: a single value, or the columns of a composite key as JSON text. */
  insert: z.object({ id: z.union([z.string(), z.number(), z.null()]) }),
  update: z.object({}),
  delete: z.object({}),
} as const;

/** Why a query was refused: error codes of the control plane's closed list, plus `not_running`. */
export const databaseRefusals = [
  'invalid_request',
  'unsupported',
  'not_found',
  'conflict',
  /** The database is not running; the client gets a `conflict`. */
  'not_running',
  'unavailable',
  /** The database did not answer; whether a change was made is unknown. */
  'timeout',
] as const;

export type EngineName = (typeof engineNames)[number];
export type DatabaseAsk = z.infer<typeof databaseAskSchema>;
export type DatabaseAction = DatabaseAsk['action'];
export type DatabaseAskOf<Action extends DatabaseAction> = Extract<DatabaseAsk, { action: Action }>;
export type DatabaseAnswerOf<Action extends DatabaseAction> = z.infer<(typeof databaseAnswerSchemas)[Action]>;
export type DatabaseRefusal = (typeof databaseRefusals)[number];
