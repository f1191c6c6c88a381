/** Reads pages of a table. */
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import { boundedAnswer } from './bounded-answer.ts';
import { findTable, listRelations, sqlName, type Table, tableId } from './catalog.ts';
import type { Connections } from './connections.ts';
import { countAll, countOne } from './row-counts.ts';
import { escapedNames } from './sql-words.ts';
import { decodedRow, rawResult, resultDecoders } from './values.ts';

/** A page is answered in full or refused. The limit is far more than an answer may hold. */
const pageBytesMax = 16_000_000;
const tooLarge = {
  bytesMax: pageBytesMax,
  words: `These rows have more than ${pageBytesMax / 1e6} MB: ask with a smaller limit, or for some columns with a query.`,
};

export async function tablesOf(connections: Connections): Promise<DatabaseAnswerOf<'tables'>> {
  const relations = await connections.reading(listRelations);
  const counts = await countAll(connections, relations);
  return {
    tables: relations.map((relation) => ({
      id: tableId(relation),
      name: relation.name,
      schema: relation.schema,
      rowCount: counts.get(relation) ?? 0,
    })),
  };
}

export function pageOf(
  connections: Connections,
  ask: DatabaseAskOf<'rows'>,
): Promise<DatabaseAnswerOf<'rows'>> {
  return connections.reading(async (client, last) => {
    const table = await findTable(client, ask.table);
    const total = await countOne(client, table);
    const { fields, rows } = await last(() =>
      boundedAnswer(client, tooLarge, () => client.query<(string | null)[]>(pageQuery(table, ask))),
    );
    const names = table.columns.map(({ name }) => name);
    const decoders = await resultDecoders(client, fields);
    return {
      columns: table.columns.map(({ name, type, primary }) => ({ name, type, primary })),
      rows: rows.map((values) => decodedRow(names, decoders, values)),
      total,
    };
  });
}

/** A table without a key is read from its first page to its last, without sorting: in the physical order of its rows (`ctid`). */
function pageQuery(table: Table, { limit, offset }: DatabaseAskOf<'rows'>) {
  const columns = escapedNames(table.columns.map(({ name }) => name));
  const order = table.order.length > 0 ? ` ORDER BY ${escapedNames(table.order)}` : '';
  const text = `SELECT ${columns} FROM ${sqlName(table)}${order} LIMIT $1 OFFSET $2`;
  return { ...rawResult, text, values: [limit, offset] };
}
