/**
 * The server that an import reads, over its HTTP interface, at the address that was checked. https://clickhouse.com/docs/interfaces/http
 */
import { randomUUID } from 'node:crypto';
import { request as requestPlain } from 'node:http';
import { request as requestEncrypted } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type ClickhouseSource,
  parseClickhouseUrl,
} from '../../../../protocol/import-source/clickhouse-url.ts';
import { refuseOwn } from '../../archive/import-refusal.ts';
import type { ImportSource } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';
import { jsonSettings, parsedLine } from '../values.ts';
import { breakReason, errorWords } from './break-reason.ts';
import { wholeSettings } from './whole-settings.ts';

const connectMs = 15_000;
/** A source that sends nothing for this long is treated as lost. */
const silenceMs = 10 * 60_000;

/** A `GET` can't change anything, regardless of the user's privileges. These settings are allowed in a read-only request. */
const settings = {
  enable_http_compression: 1,
  http_zlib_compression_level: 1,
  http_send_timeout: silenceMs / 1_000,
  cancel_http_readonly_queries_on_client_close: 1,
};

export interface OpenSource {
  database: string;
  /** @returns the rows @throws EngineError */
  ask(text: string, more?: { settings?: Record<string, unknown> }): Promise<Json[][]>;
  /** The response body, compressed with zstd. @throws EngineError; reading throws when the server stops early */
  read(text: string): Promise<AsyncIterable<Buffer>>;
}

/** @throws EngineError, SourceUrlError, ImportRefusal; JobFailure for a name that resolves to a forbidden address */
export async function openSource({ url, addressOf }: ImportSource, signal: AbortSignal): Promise<OpenSource> {
  const source = parseClickhouseUrl(url);
  const address = await addressOf(source.host, source.port);
  refuseOwn(source.host, address);
  const get = (text: string, more: Record<string, unknown>, encoding: 'identity' | 'zstd') =>
    answer(source, { address, signal, encoding, query: { ...more, query: text } });
  const ask: OpenSource['ask'] = async (text, more = {}) => {
    const query = { ...jsonSettings, ...more.settings, default_format: 'JSONCompactEachRow' };
    const lines = await buffer(await get(text, query, 'identity')).catch((error: unknown) => {
      signal.throwIfAborted();
      throw brokenOff(source, error);
    });
    return linesOf(lines).map(parsedLine);
  };
  const whole = await wholeSettings(ask);
  return {
    database: source.database,
    ask: (text, more = {}) => ask(text, { settings: { ...whole, ...more.settings } }),
    async read(text) {
      const queryId = randomUUID();
      const body = await get(text, { ...whole, ...settings, query_id: queryId }, 'zstd');
      return bytesOf(body, async (error) => {
        signal.throwIfAborted();
        const words = await breakReason(ask, queryId).catch(() => undefined);
        return words === undefined ? brokenOff(source, error) : refused(source, words);
      });
    },
  };
}

async function* bytesOf(body: Readable, failure: (error: unknown) => Promise<Error>): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    throw await failure(error);
  }
}

interface Asked {
  address: string;
  signal: AbortSignal;
  encoding: 'identity' | 'zstd';
  query: Record<string, unknown>;
}

function answer(source: ClickhouseSource, asked: Asked): Promise<Readable> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  const sent = send(source, asked);
  const tooLate = setTimeout(() => sent.destroy(new Error('it does not answer')), connectMs);
  sent.on('socket', (socket) => {
    const isReady = source.isEncrypted ? 'secureConnect' : 'connect';
    socket.once(isReady, () => clearTimeout(tooLate));
  });
  sent.setTimeout(silenceMs, () => sent.destroy(new Error('it stopped sending')));
  sent.on('close', () => clearTimeout(tooLate));
  sent.on('error', (error) => reject(asked.signal.aborted ? asked.signal.reason : brokenOff(source, error)));
  sent.on('response', (body) => {
    if (body.statusCode === 200) resolve(body);
    else void errorWords(body).then((words) => reject(refused(source, words)), reject);
  });
  sent.end();
  return promise;
}

function send(source: ClickhouseSource, { address, signal, encoding, query }: Asked) {
  const { host, port, user, password, isEncrypted } = source;
  const words = Object.entries(query).map(([key, value]) => [key, String(value)] as [string, string]);
  const request = isEncrypted ? requestEncrypted : requestPlain;
  return request({
    host: address,
    port,
    path: `/?${new URLSearchParams(words)}`,
    headers: {
      host: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'accept-encoding': encoding,
      'user-agent': 'longshore',
    },
    // The certificate is checked against the name.
    ...(isEncrypted && !isIP(host) ? { servername: host } : {}),
    signal,
    agent: false,
  });
}

/** A server that is not ClickHouse answers with a page. */
const refused = ({ host, port }: ClickhouseSource, words: string) =>
  new EngineError(
    'unavailable',
    /^Code: \d+\.|\(code \d+, \w+\)$/.test(words)
      ? `The source ${host}:${port} answered: ${words.slice(0, 2_000)}`
      : `The server at ${host}:${port} is not the HTTP interface of ClickHouse.`,
  );

const brokenOff = ({ host, port }: ClickhouseSource, error: unknown) =>
  new EngineError(
    'unavailable',
    `The source ${host}:${port} could not be read: ${error instanceof Error ? error.message : error}.`,
  );

/** Splits a text into complete lines. */
function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, to = text.indexOf(10); to >= 0; from = to + 1, to = text.indexOf(10, from))
    if (to > from) lines.push(text.subarray(from, to));
  return lines;
}
