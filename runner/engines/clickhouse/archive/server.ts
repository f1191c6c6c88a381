/** A connection to one ClickHouse server for saving and restoring all of it: statements without a time limit, and rows as streams. */
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { DataPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';
import { escapedName } from '../bound-value.ts';
import { openConnection, type Question, queueMs } from '../connection.ts';
import { fullOf } from '../errors.ts';
import { breakReason, errorWords } from './break-reason.ts';
import { wholeSettings } from './whole-settings.ts';

/** The time limit of a statement that copies or counts. */
const statementTimeoutMs = 6 * 3_600_000;
/** The longest pause of either side between two chunks. */
const silenceSeconds = 600;

/** https://clickhouse.com/docs/interfaces/http */
const readSettings = {
  enable_http_compression: '1',
  // Applies to zstd, too: it takes a third of the time of level 3, and the result is nearly as small.
  http_zlib_compression_level: '1',
  cancel_http_readonly_queries_on_client_close: '1',
  http_send_timeout: String(silenceSeconds),
};

/** Stores rows exactly as they were saved: none is merged, dropped as a duplicate or recomputed. */
const writeSettings = {
  wait_end_of_query: '1',
  async_insert: '0',
  optimize_on_insert: '0',
  insert_deduplicate: '0',
  insert_allow_materialized_columns: '1',
  max_partitions_per_insert_block: '0',
  http_receive_timeout: String(silenceSeconds),
};

export interface Server {
  /** @returns the rows @throws EngineError */
  ask(text: string, more?: Pick<Question, 'params' | 'settings' | 'data'>): Promise<Json[][]>;
  /**
   * The response body, compressed with zstd.
   * @throws EngineError; reading throws one with the server's reason when the server stops early
   */
  read(text: string): Promise<AsyncIterable<Buffer>>;
  /**
   * @param rows bytes from `read` @param settings of the statement, in addition to those of every write
   * @returns the number of rows that the server has read from them @throws EngineError; the errors of `rows`
   */
  write(text: string, rows: AsyncIterable<Buffer>, settings?: Record<string, string>): Promise<number>;
}

/** Connects without choosing a user's database, since each of them may be renamed during the work. */
export async function withServer<T>(
  place: Pick<DataPlace, 'address' | 'env' | 'signal'>,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  place.signal.throwIfAborted();
  const connection = openConnection(place.address, { ...place.env, CLICKHOUSE_DB: 'system' });
  try {
    const ask: Server['ask'] = async (text, more = {}) => {
      place.signal.throwIfAborted();
      return (await connection.ask({ text, ...more, timeoutMs: statementTimeoutMs })).rows;
    };
    return await use(serverOf(place, ask, await wholeSettings(ask)));
  } catch (error) {
    place.signal.throwIfAborted();
    throw error;
  } finally {
    await connection.close();
  }
}

function serverOf(
  place: Pick<DataPlace, 'address' | 'env' | 'signal'>,
  ask: Server['ask'],
  whole: Record<string, string>,
): Server {
  return {
    ask: (text, more = {}) => ask(text, { ...more, settings: { ...whole, ...more.settings } }),
    async read(text) {
      const queryId = randomUUID();
      const { answered, sink } = send(place, text, {
        settings: { ...whole, ...readSettings, query_id: queryId },
        headers: { 'accept-encoding': 'zstd' },
      });
      sink.end();
      const { body } = await answered.catch((error: unknown) => Promise.reject(EngineError.from(error)));
      return explained(body, (error) => breakFailure(error, place, () => breakReason(ask, queryId)));
    },
    async write(text, rows, settings = {}) {
      const queryId = randomUUID();
      const { sink, answered } = send(place, text, {
        settings: { ...whole, ...writeSettings, ...settings, query_id: queryId },
        headers: { 'content-encoding': 'zstd' },
      });
      let broken: unknown;
      const noted = noting(rows, (error) => {
        broken = error;
      });
      const sent = pipeline(Readable.from(noted, { objectMode: false }), sink);
      sent.catch(() => {}); // the response fails, too
      try {
        const { body, writtenRows } = await answered;
        body.resume();
        await sent;
        return writtenRows;
      } catch (error) {
        sink.destroy();
        if (broken !== undefined || error instanceof EngineError) throw broken ?? error;
        // A server that refuses rows while they are sent resets the connection, so its response may be lost.
        throw await breakFailure(error, place, () => breakReason(ask, queryId));
      }
    },
  };
}

async function* explained(
  body: Readable,
  failure: (error: unknown) => Promise<Error>,
): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    throw await failure(error);
  }
}

/** @returns an error with the server's reason for a broken connection, if it recorded one @throws the signal's reason */
async function breakFailure(
  error: unknown,
  { signal }: Pick<DataPlace, 'signal'>,
  reason: () => Promise<string | undefined>,
): Promise<EngineError> {
  signal.throwIfAborted();
  const words = await reason();
  if (words !== undefined) return new EngineError('unavailable', words, { cause: error });
  const { code, message } = EngineError.from(error);
  const premature = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  const without = 'ClickHouse closed the connection without a reason: see its log.';
  return new EngineError(code, premature ? without : message, { cause: error });
}

/**
 * Passes the rows on and reports the error that ended them, because the error of the broken connection is less precise. An error that the
 * reader throws into this generator does not count: a server that refuses rows closes the connection, and its response contains the reason.
 */
async function* noting(rows: AsyncIterable<Buffer>, note: (error: unknown) => void): AsyncGenerator<Buffer> {
  const iterator = rows[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        note(error);
        throw error;
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

const summarySchema = z.object({ written_rows: z.coerce.number() });

/** Returns 0 without a readable summary: the image is the user's choice, and an error here would end the runner. */
function writtenRowsIn(headers: IncomingHttpHeaders): number {
  try {
    return summarySchema.parse(JSON.parse(String(headers['x-clickhouse-summary']))).written_rows;
  } catch {
    return 0;
  }
}

function send(
  { address, env, signal }: Pick<DataPlace, 'address' | 'env' | 'signal'>,
  query: string,
  { settings, headers }: { settings: Record<string, string>; headers: Record<string, string> },
) {
  const user = `${env.CLICKHOUSE_USER || 'default'}:${env.CLICKHOUSE_PASSWORD ?? ''}`;
  const sink = request({
    host: address.host,
    port: address.port,
    method: 'POST',
    path: `/?${new URLSearchParams({ ...settings, queue_max_wait_ms: String(queueMs(statementTimeoutMs)), max_execution_time: '0', database: 'system', query })}`,
    headers: {
      authorization: `Basic ${Buffer.from(user).toString('base64')}`,
      ...headers,
    },
    signal,
    agent: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<{ body: Readable; writtenRows: number }>();
  sink.on('error', reject);
  sink.on('response', (body) => {
    if (body.statusCode === 200) resolve({ body, writtenRows: writtenRowsIn(body.headers) });
    else
      void errorWords(body).then(
        (words) => reject(fullOf(words) ?? new EngineError('unavailable', words)),
        reject,
      );
  });
  return { sink, answered: promise };
}

/** `database`.`table`, quoted for a statement. */
export const qualified = (database: string, name: string) => `${escapedName(database)}.${escapedName(name)}`;

/** A string literal for a statement. */
export const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

/**
 * The settings that let the server recreate all its objects: they may have been created with settings that are not the defaults. A
 * statement that still has a `Nested` column was run without `flatten_nested`.
 */
export async function makingSettings(server: Server): Promise<Record<string, string>> {
  const rows =
    await server.ask(`SELECT name FROM system.settings WHERE type = 'Bool' AND (name LIKE 'allow\\_suspicious\\_%'
    OR name LIKE 'allow\\_experimental\\_%\\_type' OR name LIKE 'enable\\_%\\_type'
    OR name IN ('allow_experimental_codecs', 'allow_experimental_time_series_table', 'allow_experimental_window_view', 'allow_experimental_inverted_index',
      'allow_deprecated_syntax_for_merge_tree', 'flatten_nested'))`);
  return Object.fromEntries(rows.map(([name]) => [String(name), name === 'flatten_nested' ? '0' : '1']));
}
