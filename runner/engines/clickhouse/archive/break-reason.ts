/** Why a server broke off in the middle of its rows. Its answer began with 200, and its sentence is lost in the compressed stream. */
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';

/**
 * @param ask on another connection
 * @param queryId of the query that broke off
 * @returns the server's sentence, as it words an error; undefined when it keeps none: its version notes no query with its errors, or its
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
