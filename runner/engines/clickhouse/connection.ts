/**
 * The connections to one ClickHouse server over its HTTP interface: a few, kept alive briefly. https://clickhouse.com/docs/interfaces/http
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import { ConnectionsFull } from '../connections-full.ts';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { newConnection } from '../new-connection.ts';
import type { Json } from '../row.ts';
import { engineError, noAnswer, tookTooLong } from './errors.ts';
import { jsonSettings, parsedLine } from './values.ts';

/** The number of parallel queries; more must wait. One extra connection is reserved for killing a statement. */
const atOnce = 4;
/** Less than the 3 s after which the oldest servers close an idle connection. */
const idleMs = 2_000;
/** The runner's own queries take milliseconds. Longer ones read a view that computes. */
const readTimeoutMs = 15_000;
/** The extra time for a server that should have ended the statement itself. */
const graceMs = 1_000;
/** The limit of a complete answer: far more than is passed on. */
const answerBytesMax = 16_000_000;
/** The time that a statement waits until fewer than `max_concurrent_queries` run; without it, the statement would fail at once. */
export const queueMs = (timeoutMs: number) => Math.min(60_000, timeoutMs / 5);
const format = 'JSONCompactEachRowWithNamesAndTypes';

export interface Question {
  text: string;
  params?: Record<string, unknown>;
  settings?: ClickHouseSettings;
  /** The data of an INSERT, in the statement's format. */
  data?: Buffer;
  timeoutMs?: number;
  /** True if the statement changes data: without an answer, the outcome is unknown. */
  writes?: boolean;
  /** The answer is cut at this size. Without it, a longer answer is refused. */
  bytesMax?: number;
}

export interface Answer {
  columns: { name: string; type: string }[];
  rows: Json[][];
  isCut: boolean;
  writtenRows: number;
}

export interface Connection {
  /** The service's own database. */
  database: string;
  /** @throws EngineError */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export function openConnection(address: EngineAddress, env: EngineEnvironment): Connection {
  const { host, port } = address;
  const database = env.CLICKHOUSE_DB || 'default';
  const client = createClient({
    url: `http://${host}:${port}`,
    username: env.CLICKHOUSE_USER || 'default',
    password: env.CLICKHOUSE_PASSWORD ?? '',
    database,
    application: 'longshore',
    max_open_connections: atOnce + 1,
    keep_alive: { enabled: true, idle_socket_ttl: idleMs },
    // The client by default logs every error with its statement.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { ...jsonSettings, wait_end_of_query: 1 },
    http_headers: { 'X-ClickHouse-Format': format },
  });
  const connectionLimit = new ConcurrencyLimit(atOnce);
  let answeredAt = Number.NEGATIVE_INFINITY;
  return {
    database,
    async ask(question) {
      const askedAt = performance.now();
      try {
        const answer = await connectionLimit.run(() => ask(client, question));
        answeredAt = performance.now();
        return answer;
      } catch (error) {
        // A full server still serves the connections that it has: one that is silent there hangs.
        const isServed = askedAt - answeredAt < idleMs;
        const isUnanswered = error instanceof EngineError && error.code === 'unavailable' && !isServed;
        const isKnown = error instanceof ConnectionsFull || (error as Error).cause instanceof ClickHouseError;
        throw (isUnanswered && !isKnown && (await notServed(address, error))) || error;
      }
    },
    async close() {
      connectionLimit.close();
      await client.close();
    },
  };
}

async function ask(client: ClickHouseClient, question: Question): Promise<Answer> {
  const { timeoutMs = readTimeoutMs, writes = false } = question;
  const begun = performance.now();
  const id = randomUUID();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs + graceMs);
  try {
    const { stream, response_headers, summary } = await client.exec({
      ...request(question, timeoutMs),
      query_id: id,
      abort_signal: late.signal,
    });
    const given = response_headers['x-clickhouse-format'];
    if (given !== undefined && given !== format) {
      stream.destroy();
      throw new EngineError(
        'invalid_request',
        'Leave FORMAT out of the statement: the format of the answer is fixed.',
      );
    }
    const read = await readLines(stream, question.bytesMax);
    return { ...read, writtenRows: Number(summary?.written_rows ?? 0) };
  } catch (error) {
    if (!late.signal.aborted) throw engineError(error, { timeoutMs, writes });
    if (await kill(client, id)) throw tookTooLong({ timeoutMs, writes }, error);
    throw noAnswer({ waitedMs: performance.now() - begun, writes }, error);
  } finally {
    clearTimeout(timer);
  }
}

function request({ text, params, settings, data }: Question, timeoutMs: number) {
  const common = {
    query: text,
    clickhouse_settings: {
      max_execution_time: timeoutMs / 1000,
      queue_max_wait_ms: queueMs(timeoutMs),
      ...settings,
    },
    ...(params && { query_params: params }),
  };
  // The body holds either the rows or the bound values of the statement, which may be too long for the URL.
  return data ? { ...common, values: Readable.from([data]) } : { ...common, use_multipart_params: true };
}

async function readLines(
  stream: Readable,
  bytesMax: number | undefined,
): Promise<Pick<Answer, 'columns' | 'rows' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    isCut = bytes > (bytesMax ?? answerBytesMax);
    if (isCut) break;
  }
  if (isCut && bytesMax === undefined) {
    const words = `The rows have more than ${answerBytesMax / 1e6} MB: ask for fewer with limit, or for some columns with a query.`;
    throw new EngineError('invalid_request', words);
  }
  const lines = linesOf(Buffer.concat(chunks)).map(parsedLine);
  const [names = [], types = [], ...rows] = lines;
  return {
    columns: names.map((name, place) => ({ name: String(name), type: String(types[place]) })),
    rows,
    isCut,
  };
}

/** Splits a text into complete lines; the rest of a cut line is left out. */
function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, to = text.indexOf(10); to >= 0; from = to + 1, to = text.indexOf(10, from)) {
    if (to > from) lines.push(text.subarray(from, to));
  }
  return lines;
}

/** @returns true if the server accepted the request; false also without an answer. Never rejects. */
async function kill(client: ClickHouseClient, id: string): Promise<boolean> {
  const question = { query: 'KILL QUERY WHERE query_id = {id:String} ASYNC', query_params: { id } };
  return await client.command({ ...question, abort_signal: AbortSignal.timeout(engineTimeoutMs) }).then(
    () => true,
    () => false,
  );
}

/** The server answers `/ping` in a millisecond, also under load. */
const waitMs = 3_000;

/**
 * ClickHouse serves `max_connections` clients at a time, lets as many more wait without a word, and closes the rest. A server that hangs is
 * as silent as a full one. So this only runs for a server with so many clients (`databases/full-watch.ts`), or one that has just left a
 * statement unanswered. https://clickhouse.com/docs/operations/server-configuration-parameters/settings#max_connections
 * @returns `undefined` if the server answers a new client, or accepts none. Never rejects.
 */
async function notServed(address: EngineAddress, cause: unknown): Promise<ConnectionsFull | undefined> {
  const received = await newConnection(address, { waitMs, hello: 'GET /ping HTTP/1.0\r\n\r\n' });
  if (received !== 'closed' && received !== 'silent') return undefined;
  return new ConnectionsFull({ things: 'connections', setting: 'max_connections' }, { cause });
}
