/** Runs a statement that the user wrote. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { distinctNames } from '../distinct-names.ts';
import type { QueryCaps } from '../engine.ts';
import { rowsWithin } from '../rows-within.ts';
import type { MysqlConnection } from './mysql-connection.ts';
import { decodedRow, typeName } from './values.ts';

/** As with the other engines, `rowCount` of a change is the number of rows that matched, even if their values did not change. */
export async function runQuery(
  connection: MysqlConnection,
  text: string,
  caps: QueryCaps,
): Promise<DatabaseAnswerOf<'query'>> {
  const { fields, rows, affectedRows, truncated } = await connection.capped(text, caps);
  const names = distinctNames(fields.map(({ name }) => name));
  const shown = rowsWithin(
    rows.map((row) => decodedRow(fields, row, names)),
    caps.bytesMax,
  );
  return {
    columns: fields.map((field, at) => ({ name: names[at] ?? field.name, type: typeName(field) })),
    rows: shown,
    rowCount: fields.length > 0 ? shown.length : affectedRows,
    truncated: truncated || shown.length < rows.length,
  };
}
