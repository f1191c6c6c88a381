/** Runs a statement that the user wrote. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import type { QueryCaps } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { distinctNames, type Row } from '../row.ts';
import { readOnly } from './catalog.ts';
import type { Answer, Connection } from './connection.ts';
import { hasValues, isRead, refusal } from './refused-statement.ts';

type QueryAnswer = DatabaseAnswerOf<'query'>;

/** Forbids expressions in VALUES, because they would run unchecked. */
const literalValues = {
  input_format_values_interpret_expressions: 0,
  input_format_values_deduce_templates_of_expressions: 0,
} as const;

/** @throws EngineError */
export async function runQuery(connection: Connection, text: string, caps: QueryCaps): Promise<QueryAnswer> {
  const canonical = await accepted(connection, text);
  const reads = isRead(canonical);
  const deleted = await rowsToDelete(connection, canonical, caps.timeoutMs);
  const answer = await connection
    .ask({
      text,
      timeoutMs: caps.timeoutMs,
      writes: !reads,
      // A JSON value takes at least as much space here as in the server's answer.
      bytesMax: 2 * caps.bytesMax,
      settings: {
        ...literalValues,
        async_insert: 0,
        mutations_sync: '1',
        ...(reads && {
          max_result_rows: String(caps.rowsMax + 1),
          max_result_bytes: String(2 * caps.bytesMax),
          result_overflow_mode: 'break',
        }),
      },
    })
    .catch((error: unknown) => {
      throw hasValues(canonical) ? aboutValues(error) : error;
    });
  return answered(answer, deleted ?? (reads ? undefined : answer.writtenRows), caps);
}

/** The statement in the form of the server's parser. @throws EngineError */
async function accepted(connection: Connection, text: string): Promise<string> {
  if (text.trim() === '') throw new EngineError('invalid_request', 'There is no statement to run.');
  if (text.includes('\0'))
    throw new EngineError('invalid_request', 'A statement cannot contain a NUL character.');
  const { rows } = await connection.ask({
    text: 'SELECT formatQuerySingleLine({text:String}), (SELECT groupArray(lower(name)) FROM system.table_functions)',
    params: { text },
    settings: readOnly,
  });
  const [canonical, functions] = rows[0] ?? [];
  const refused = refusal(String(canonical), new Set(functions as string[]), connection.database);
  if (refused !== undefined) throw new EngineError('unsupported', refused);
  return String(canonical);
}

/**
 * The server counts the rows of an INSERT, but not of a DELETE or a mutation. The rows that a DELETE will remove can be counted beforehand;
 * for `ALTER TABLE ... UPDATE` and similar statements the answer stays 0.
 */
async function rowsToDelete(
  connection: Connection,
  canonical: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const condition = /^DELETE FROM (.*)$/s.exec(canonical)?.[1];
  if (condition === undefined) return undefined;
  try {
    const { rows } = await connection.ask({
      text: `SELECT count() FROM ${condition}`,
      timeoutMs,
      settings: { readonly: '2' },
    });
    return Number(rows[0]?.[0]);
  } catch (error) {
    // The statement's own error explains the problem better.
    if (error instanceof EngineError && error.code !== 'unavailable') return undefined;
    throw error;
  }
}

function aboutValues(error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== 'invalid_request') return error;
  const hint = 'VALUES takes literals here: for expressions use INSERT INTO ... SELECT.';
  return new EngineError(error.code, `${error.message} ${hint}`, { cause: error });
}

/** @param affected rows of a statement that changes data; `undefined` if it reads */
function answered(answer: Answer, affected: number | undefined, caps: QueryCaps): QueryAnswer {
  const names = distinctNames(answer.columns.map(({ name }) => name));
  const rows: Row[] = [];
  let bytes = 0;
  for (const values of answer.rows.slice(0, caps.rowsMax)) {
    const row = Object.fromEntries(names.map((name, place) => [name, values[place] ?? null]));
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > caps.bytesMax) break;
    rows.push(row);
  }
  return {
    columns: names.map((name, place) => ({ name, type: answer.columns[place]?.type ?? 'unknown' })),
    rows,
    rowCount: affected ?? rows.length,
    truncated: answer.isCut || rows.length < answer.rows.length,
  };
}
