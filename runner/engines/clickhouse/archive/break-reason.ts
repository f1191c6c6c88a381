/** Asks a server why it stopped in the middle of its rows. Its response began with status 200, so the compressed stream hides the error. */
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';

/**
 * @param ask on another connection
 * @param queryId of the query that was interrupted
 * @returns the server's error message; undefined when there is none: the server's version does not record queries with its errors, or the
 * user may not read them. https://clickhouse.com/docs/operations/system-tables/errors
 */
export async function breakReason(
  ask: (text: string) => Promise<Json[][]>,
  queryId: string,
): Promise<string | undefined> {
  const query = `SELECT code, name, last_error_message FROM system.errors WHERE query_id = '${queryId}' ORDER BY last_error_time LIMIT 1`;
  const rows = await ask(query).catch((error: unknown) => {
    if (error instanceof EngineError) return [];
    throw error;
  });
  const [[code, name, message] = []] = rows;
  return code === undefined ? undefined : `${message} (code ${code}, ${name})`;
}
