/**
 * Questions about a running database, which its host answers through the engine's driver; and the answers. See docs/guide/databases.md.
 * Values are JSON that does not lie: 64-bit integers and decimals are strings, binary is `\x` hex, moments are ISO 8601 text with the
 * engine's own precision.
 */
import { z } from 'zod';

export const engineNames = ['postgres', 'timescale', 'mysql', 'redis', 'mongodb', 'clickhouse'] as const;

const table = z.string();
const record = z.record(z.string(), z.json());
/** Redis: the logical database. Other engines take none. */
const database = z.number().int().optional();

export const databaseAskSchema = z.discriminatedUnion('action', [
  /** `cursor` and `match`: Redis alone, which pages and filters its keys. */
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
  id: z.string(),
  name: z.string(),
  schema: z.string(),
  rowCount: z.number().int(),
});

export const databaseColumnSchema = z.object({ name: z.string(), type: z.string(), primary: z.boolean() });

export const databaseAnswerSchemas = {
  tables: z.object({ tables: z.array(databaseTableSchema), cursor: z.string().nullable().optional() }),
  rows: z.object({
    columns: z.array(databaseColumnSchema),
    rows: z.array(record),
    total: z.number().int(),
    /** Redis: seconds until the key goes; null when it stays. */
    ttl: z.number().nullable().optional(),
  }),
  query: z.object({
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(record),
    /** Of a statement that changes data: the rows it has changed. */
    rowCount: z.number().int(),
    /** There was more than 1,000 rows or 1 MB. */
    truncated: z.boolean(),
  }),
  /** Key of the new row: a single value, or the columns of a composite key as JSON text. */
  insert: z.object({ id: z.union([z.string(), z.number(), z.null()]) }),
  update: z.object({}),
  delete: z.object({}),
} as const;

/** Why a question was refused: words of the control plane's closed list of error codes, but for `not_running`. */
export const databaseRefusals = [
  'invalid_request',
  'unsupported',
  'not_found',
  'conflict',
  /** Nothing runs that could be asked; to the client a `conflict`. */
  'not_running',
  'unavailable',
  /** It was asked, and its answer did not come: what became of a change is not known. */
  'timeout',
] as const;

export type EngineName = (typeof engineNames)[number];
export type DatabaseAsk = z.infer<typeof databaseAskSchema>;
export type DatabaseAction = DatabaseAsk['action'];
export type DatabaseAskOf<Action extends DatabaseAction> = Extract<DatabaseAsk, { action: Action }>;
export type DatabaseAnswerOf<Action extends DatabaseAction> = z.infer<(typeof databaseAnswerSchemas)[Action]>;
export type DatabaseRefusal = (typeof databaseRefusals)[number];
