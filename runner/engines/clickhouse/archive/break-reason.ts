/** Asks a server why it stopped in the middle of its rows. Its response began with status 200, so the compressed stream hides the error. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';

/**
 * @param ask on another connection
 * @param queryId of the query that was interrupted
 * @returns the server's error message; `undefined` if there is none: the server's version does not record queries with its errors, or the
 *   user may not read them. https://clickhouse.com/docs/operations/system-tables/errors
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

const bytesMax = 16 * 1024;

/** The beginning of an error's text. The server compresses it like the rows that were requested. */
export async function errorWords(response: IncomingMessage): Promise<string> {
  const body: Readable =
    response.headers['content-encoding'] === 'zstd'
      ? pipeline(response, createZstdDecompress(), () => {}) // the reader of the stream reports the error
      : response;
  let words = '';
  for await (const chunk of body) {
    words += chunk;
    if (words.length > bytesMax) break;
  }
  return words.trim();
}
