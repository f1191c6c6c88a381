/** Finds JSON documents that a restore would change: `mysqldump` writes them as text, which has no dates, bytes or exact decimals. */
import { queryEach, quotedName, systemSchemas, type ToolPlace } from './client.ts';

/** The longest time that one column is read for. */
const columnLimitMs = 60_000;

const jsonColumns = `SELECT c.table_schema, c.table_name, c.column_name FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.data_type = 'json' AND t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ${systemSchemas}
  AND c.extra NOT REGEXP '(STORED|VIRTUAL) GENERATED' ORDER BY 1, 2, 3`;

/**
 * Compares each document with the one parsed from its text: a date differs from a string, and 1.50 from 1.5.
 * @returns one sentence for each column with such documents, and for each that could not be read to its end @throws EngineError
 */
export async function changedDocuments(place: ToolPlace): Promise<string[]> {
  const [columns] = await queryEach(place, [jsonColumns]);
  const found = columns?.rows ?? [];
  const answers = await queryEach(place, found.map(firstChanged));
  return found.flatMap(([schema = '', table = '', column = ''], at) => {
    const name = `${schema}.${table}.${column}`;
    if (answers[at]?.hasFailed)
      return [
        `It is not known whether documents in ${name} contain decimals, dates or bytes, which become doubles and strings: reading it took too long.`,
      ];
    if ((answers[at]?.rows ?? []).length === 0) return [];
    return [
      `Decimals, dates and bytes inside the documents of ${name} become doubles and strings, because mysqldump writes them so.`,
    ];
  });
}

function firstChanged([schema = '', table = '', column = '']: string[]): string {
  const document = quotedName(column);
  const text = `CAST(${document} AS CHAR CHARACTER SET utf8mb4)`;
  const again = `CAST(${text} AS JSON)`;
  return `SELECT /*+ MAX_EXECUTION_TIME(${columnLimitMs}) */ 1 FROM ${quotedName(schema)}.${quotedName(table)}
    WHERE ${document} <> ${again} OR CAST(${text} AS BINARY) <> CAST(CAST(${again} AS CHAR CHARACTER SET utf8mb4) AS BINARY) LIMIT 1`;
}
