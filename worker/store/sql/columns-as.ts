/**
 * Columns of a table under unique names, for joins inside a batch.
 * D1 returns batch rows as objects, so two columns with the same name (`id`, `created_at`) would collapse into one and shift the rest
 * (https://github.com/drizzle-team/drizzle-orm/issues/555).
 */
import { type GetColumnData, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

type ColumnsAs<Table extends SQLiteTable> = {
  [Name in keyof Table['_']['columns']]: SQL.Aliased<GetColumnData<Table['_']['columns'][Name]>>;
};

/** Built once per table and prefix, because most statements use them. */
const made = new Map<SQLiteTable, Map<string, unknown>>();

/** All columns of `table`, named `<prefix>_<column>` in the result, for a nested selection: `select({ service: columnsAs(services, 'service') })`. */
export function columnsAs<Table extends SQLiteTable>(table: Table, prefix: string): ColumnsAs<Table> {
  const ofTable = made.get(table) ?? new Map<string, unknown>();
  made.set(table, ofTable);
  const columns = ofTable.get(prefix) ?? makeColumns(table, prefix);
  ofTable.set(prefix, columns);
  return columns as ColumnsAs<Table>;
}

function makeColumns(table: SQLiteTable, prefix: string) {
  const columns = Object.entries(getTableColumns(table)).map(([name, column]) => [
    name,
    sql`${column}`.mapWith(column).as(`${prefix}_${column.name}`),
  ]);
  return Object.fromEntries(columns);
}
