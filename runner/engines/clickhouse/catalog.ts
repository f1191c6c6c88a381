/** The tables and columns that can be browsed, read from the current catalog: https://clickhouse.com/docs/operations/system-tables */
import { EngineError } from '../engine-error.ts';
import type { Connection } from './connection.ts';
import { isLocalEngine } from './local-engines.ts';

export interface Table {
  database: string;
  name: string;
  engine: string;
  /** An expression list in the server's syntax; '' if there is none. */
  sortingKey: string;
  /** The server's own row count, which includes rows of lightweight deletes; `null` if the server stores none. */
  storedRowCount: number | null;
  /** True if its parts still contain deleted rows. */
  hasDeleted: boolean;
}

export interface Column {
  name: string;
  type: string;
  primary: boolean;
  /** The sorting, partition or sampling key uses this column, so its value can't change. */
  isInKey: boolean;
  /** The server computes its values: MATERIALIZED, ALIAS. */
  isComputed: boolean;
}

const systemDatabases = "('system', 'INFORMATION_SCHEMA', 'information_schema')";
const tables = `
  SELECT database, name, engine, sorting_key, total_rows,
    (database, name) IN (SELECT database, table FROM system.parts WHERE active AND has_lightweight_delete)
  FROM system.tables WHERE database NOT IN ${systemDatabases} AND NOT is_temporary`;

/** Browsing can't change anything. */
export const readOnly = { readonly: '1' } as const;

export const tableId = ({ database, name }: Pick<Table, 'database' | 'name'>) => `${database}.${name}`;

export async function listTables(connection: Connection): Promise<Table[]> {
  const text = `${tables} ORDER BY database, name`;
  return (await connection.ask({ text, settings: readOnly })).rows.map(table);
}

/** @throws EngineError `not_found`; `conflict` when dots in names make the id ambiguous */
export async function findTable(connection: Connection, id: string): Promise<Table> {
  const text = `${tables} AND concat(database, '.', name) = {id:String}`;
  const { rows } = await connection.ask({ text, params: { id }, settings: readOnly });
  const [found, other] = rows;
  if (!found) throw EngineError.noTable(id);
  if (other)
    throw new EngineError('conflict', `Two tables are called ${JSON.stringify(id)}: ask with a query.`);
  return table(found);
}

function table([database, name, engine, sortingKey, total, hasDeleted]: unknown[]): Table {
  return {
    database: String(database),
    name: String(name),
    engine: String(engine),
    sortingKey: String(sortingKey),
    storedRowCount: total === null ? null : Number(total),
    hasDeleted: Boolean(hasDeleted),
  };
}

export async function columnsOf(connection: Connection, { database, name }: Table): Promise<Column[]> {
  const { rows } = await connection.ask({
    text: `SELECT name, type, is_in_primary_key,
        is_in_sorting_key OR is_in_primary_key OR is_in_partition_key OR is_in_sampling_key,
        default_kind IN ('MATERIALIZED', 'ALIAS')
      FROM system.columns WHERE database = {database:String} AND table = {name:String} ORDER BY position`,
    params: { database, name },
    settings: readOnly,
  });
  return rows.map(([column, type, primary, isInKey, isComputed]) => ({
    name: String(column),
    type: String(type),
    primary: Boolean(primary),
    isInKey: Boolean(isInKey),
    isComputed: Boolean(isComputed),
  }));
}

/** @throws EngineError `unsupported` */
export function checkReadable(table: Table): void {
  if (isLocalEngine(table.engine)) return;
  throw new EngineError(
    'unsupported',
    `${tableId(table)} has the engine ${table.engine}: its rows are stored elsewhere and are not shown here.`,
  );
}
