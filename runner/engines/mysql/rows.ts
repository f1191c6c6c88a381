/** Lists tables, and reads pages of them. */
import type { FieldPacket } from 'mysql2';
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import type { Row } from '../row.ts';
import { type Column, findTable, listRelations, type Table } from './catalog.ts';
import { shortestFloat } from './float-text.ts';
import type { MysqlConnection } from './mysql-connection.ts';
import { quoted, sqlName, tableId } from './names.ts';
import { countAll, countOne } from './row-counts.ts';
import { decodedRow } from './values.ts';

export async function tablesOf(connection: MysqlConnection): Promise<DatabaseAnswerOf<'tables'>> {
  const relations = await listRelations(connection);
  const counts = await countAll(connection, relations);
  return {
    tables: relations.map((relation) => ({
      id: tableId(relation),
      name: relation.name,
      schema: relation.schema,
      rowCount: counts.get(relation) ?? 0,
    })),
  };
}

/** The count and the rows are from one snapshot. */
export async function pageOf(
  connection: MysqlConnection,
  ask: DatabaseAskOf<'rows'>,
): Promise<DatabaseAnswerOf<'rows'>> {
  const table = await findTable(connection, ask.table);
  await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
  const total = await countOne(connection, table);
  const { fields, rows } = await connection.run(pageText(table, ask));
  return {
    columns: table.columns.map(({ name, type, primary }) => ({ name, type, primary })),
    rows: rows.map((row) => shownRow(table, fields, row)),
    // An estimate may be lower than the number of rows.
    total: rows.length > 0 ? Math.max(total, ask.offset + rows.length) : total,
  };
}

/**
 * A table without a key is read without an index, in its storage order. A view has neither a storage order nor a key: it is sorted by all
 * its columns, except those that can't be compared or are large.
 */
function pageText(table: Table, { limit, offset }: DatabaseAskOf<'rows'>): string {
  const columns = table.columns.map(readable).join(', ');
  const order = table.isView
    ? table.columns.filter(({ dataType }) => !unsorted.test(dataType)).map(({ name }) => name)
    : table.order;
  const unindexed = table.isView || order.length > 0 ? '' : ' USE INDEX ()';
  const by = order.length > 0 ? ` ORDER BY ${order.map(quoted).join(', ')}` : '';
  return `SELECT ${columns} FROM ${sqlName(table)}${unindexed}${by} LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`;
}

/** The server rounds a FLOAT to 6 digits when it sends it as text. FLOAT(7,4) has all its decimals. */
const readable = ({ name, type, dataType }: Column): string =>
  isRounded({ type, dataType }) ? `CAST(${quoted(name)} AS DOUBLE)` : quoted(name);

const isRounded = ({ type, dataType }: Pick<Column, 'type' | 'dataType'>) =>
  dataType === 'float' && !type.includes(',');

function shownRow({ columns }: Table, fields: FieldPacket[], row: (Buffer | null)[]): Row {
  const names = columns.map(({ name }) => name);
  const shown = decodedRow(fields, row, names);
  for (const { name } of columns.filter(isRounded)) {
    const value = shown[name];
    if (typeof value === 'number') shown[name] = Number(shortestFloat(value));
  }
  return shown;
}

const unsorted = /json|blob|text|geom|point|linestring|polygon|vector/;
