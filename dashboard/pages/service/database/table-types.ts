/** The data of a database in the form of the API, and in that of the pages. */
import type { ReplyOf } from '../../../../client/client.ts';

export type Engine = ReplyOf<'GET /api/services/:serviceId/database/tables'>['engine'];
export type Table = ReplyOf<'GET /api/services/:serviceId/database/tables'>['tables'][number];
export type Page = ReplyOf<'GET /api/services/:serviceId/database/rows'>;
/** `choices`: the labels of an enum whose type does not name them. */
export type Column = Page['columns'][number] & { choices?: readonly string[] };
export type Row = Page['rows'][number];
export type Import = ReplyOf<'GET /api/services/:serviceId/database/imports'>['imports'][number];

/** The engine's word for a container of rows. */
export const kindOf = (engine: Engine): 'table' | 'key' | 'collection' =>
  engine === 'redis' ? 'key' : engine === 'mongodb' ? 'collection' : 'table';

/** Whether the engine can't change columns of a primary key. A string of Redis is its own key. */
export const keepsKeys = (engine: Engine, table: Table): boolean =>
  engine === 'mongodb' || engine === 'clickhouse' || (engine === 'redis' && table.schema !== 'string');

/** The current view of a table. */
export interface View {
  table: Table;
  limit: number;
  offset: number;
  sort: Sort | undefined;
  filters: readonly Filter[];
}

/** A page of rows. `total`: undefined if it is not known; `hasMore`: whether another page follows. */
export interface Rows {
  columns: readonly Column[];
  rows: readonly Row[];
  total: number | undefined;
  hasMore: boolean;
  ttl: number | null | undefined;
  isCut: boolean;
}

export const conditions = ['is', 'not', 'contains', 'above', 'below', 'null', 'notNull'] as const;
export type Condition = (typeof conditions)[number];

export interface Filter {
  column: string;
  condition: Condition;
  value: string;
}

export interface Sort {
  column: string;
  descending: boolean;
}

/** The answer to a statement. */
export interface Answered {
  reply: ReplyOf<'POST /api/services/:serviceId/database/query'>;
  tookMs: number;
}
