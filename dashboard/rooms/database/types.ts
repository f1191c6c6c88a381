/** The data of a database as the API answers it, and as the pages show it. */
import type { ReplyOf } from '../../../client/client.ts';

export type Engine = ReplyOf<'GET /api/services/:serviceId/database/tables'>['engine'];
export type Table = ReplyOf<'GET /api/services/:serviceId/database/tables'>['tables'][number];
export type Page = ReplyOf<'GET /api/services/:serviceId/database/rows'>;
export type Column = Page['columns'][number];
export type Row = Page['rows'][number];
export type Import = ReplyOf<'GET /api/services/:serviceId/database/imports'>['imports'][number];

/** What the engine calls that which has rows. */
export const kindOf = (engine: Engine): 'table' | 'key' | 'collection' =>
  engine === 'redis' ? 'key' : engine === 'mongodb' ? 'collection' : 'table';

/** Whether the engine changes no column of a primary key. A string of Redis is its own key. */
export const keepsKeys = (engine: Engine, table: Table): boolean =>
  engine === 'mongodb' || engine === 'clickhouse' || (engine === 'redis' && table.schema !== 'string');

/** What is shown of a table. */
export interface View {
  table: Table;
  limit: number;
  offset: number;
  sort: Sort | undefined;
  filters: readonly Filter[];
}

/** A page of rows. `total`: undefined if nobody counted; `hasMore`: whether another page follows. */
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

/** What a statement answered. */
export interface Answered {
  reply: ReplyOf<'POST /api/services/:serviceId/database/query'>;
  tookMs: number;
}
