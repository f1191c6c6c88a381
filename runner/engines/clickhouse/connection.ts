/** The connections to one ClickHouse: a few, kept alive for a moment, over its HTTP interface. https://clickhouse.com/docs/interfaces/http */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import { engineError, noAnswer, tookTooLong } from './errors.ts';
import { jsonSettings, parsedLine } from './values.ts';

/** Questions at once; more wait. One connection beyond them is for ending a statement. */
const atOnce = 4;
/** Below the 3 s after which the oldest servers end an idle connection. */
const idleMs = 2_000;
/** A question of the runner's own takes milliseconds; what takes longer reads a view that computes. */
const readTimeoutMs = 15_000;
/** After the server should have ended it by itself. */
const graceMs = 1_000;
/** Of an answer that nobody asked to cut: far above what is passed on. */
const answerBytesMax = 16_000_000;
const format = 'JSONCompactEachRowWithNamesAndTypes';

export interface Question {
  text: string;
  params?: Record<string, unknown>;
  settings?: ClickHouseSettings;
  /** What follows an INSERT, in the format that it names. */
  data?: Buffer;
  timeoutMs?: number;
  /** It changes data: when its answer does not come, what became of it is not known. */
  writes?: boolean;
  /** The answer is cut there; without it, a longer one is refused. */
  bytesMax?: number;
}

export interface Answer {
  columns: { name: string; type: string }[];
  rows: Json[][];
  isCut: boolean;
  writtenRows: number;
}

export interface Connection {
  /** The service's own. */
  database: string;
  /** @throws EngineError */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export function openConnection({ host, port }: EngineAddress, env: EngineEnvironment): Connection {
  const database = env.CLICKHOUSE_DB || 'default';
  const client = createClient({
    url: `http://${host}:${port}`,
    username: env.CLICKHOUSE_USER || 'default',
    password: env.CLICKHOUSE_PASSWORD ?? '',
    database,
    application: 'longshore',
    max_open_connections: atOnce + 1,
    keep_alive: { enabled: true, idle_socket_ttl: idleMs },
    // By default it prints every error, statement and all.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { ...jsonSettings, wait_end_of_query: 1 },
    http_headers: { 'X-ClickHouse-Format': format },
  });
  const connectionLimit = new ConcurrencyLimit(atOnce);
  return {
    database,
    ask: (question) => connectionLimit.run(() => ask(client, question)),
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
        'Leave FORMAT out of the statement: the answer has a form of its own.',
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
    clickhouse_settings: { max_execution_time: timeoutMs / 1000, ...settings },
    ...(params && { query_params: params }),
  };
  // The body is one or the other: the rows, or the values bound to the statement, which no address has room for.
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

/** Whole lines; the rest of one that was cut is left out. */
function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, to = text.indexOf(10); to >= 0; from = to + 1, to = text.indexOf(10, from)) {
    if (to > from) lines.push(text.subarray(from, to));
  }
  return lines;
}

/** @returns whether the server took it; one that doesn't answer has not. Never rejects. */
async function kill(client: ClickHouseClient, id: string): Promise<boolean> {
  const question = { query: 'KILL QUERY WHERE query_id = {id:String} ASYNC', query_params: { id } };
  return await client.command({ ...question, abort_signal: AbortSignal.timeout(engineTimeoutMs) }).then(
    () => true,
    () => false,
  );
}
