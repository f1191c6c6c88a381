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
import type { Json } from '../row.ts';
import { engineError, noAnswer, tookTooLong } from './errors.ts';
import { notServed } from './is-full.ts';
import { jsonSettings, parsedLine } from './values.ts';

/** The number of parallel queries; more must wait. One extra connection is reserved for killing a statement. */
const atOnce = 4;
/** Less than the 3 s after which the oldest servers close an idle connection. */
const idleMs = 2_000;
/** The runner's own queries take milliseconds. Longer ones read a view that computes. */
const readTimeoutMs = 15_000;
/** The extra time for a server that should have ended the statement itself. */
const graceMs = 1_000;
/** The limit of an answer that must be complete: far more than is passed on. */
const answerBytesMax = 16_000_000;
/** How long a statement waits until fewer than `max_concurrent_queries` run; without it, it would fail at once. */
export const queueMs = (timeoutMs: number) => Math.min(60_000, timeoutMs / 5);
const format = 'JSONCompactEachRowWithNamesAndTypes';

export interface Question {
  text: string;
  params?: Record<string, unknown>;
  settings?: ClickHouseSettings;
  /** The data of an INSERT, in the format that the statement names. */
  data?: Buffer;
  timeoutMs?: number;
  /** Whether the statement changes data: without an answer, the outcome is unknown. */
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
    // By default the client logs every error with its statement.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { ...jsonSettings, wait_end_of_query: 1 },
    http_headers: { 'X-ClickHouse-Format': format },
  });
  const connectionLimit = new ConcurrencyLimit(atOnce);
  return {
    database,
    ask: (question) =>
      connectionLimit
        .run(() => ask(client, question))
        .catch(async (error: unknown) => {
          const isUnanswered = error instanceof EngineError && error.code === 'unavailable';
          const isKnown =
            error instanceof ConnectionsFull || (error as Error).cause instanceof ClickHouseError;
          throw (isUnanswered && !isKnown && (await notServed(address, error))) || error;
        }),
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

/** @returns whether the server accepted it; false when it does not answer. Never rejects. */
async function kill(client: ClickHouseClient, id: string): Promise<boolean> {
  const question = { query: 'KILL QUERY WHERE query_id = {id:String} ASYNC', query_params: { id } };
  return await client.command({ ...question, abort_signal: AbortSignal.timeout(engineTimeoutMs) }).then(
    () => true,
    () => false,
  );
}
