/**
 * A client of the API for TypeScript: each route by its name, with the types of its parameters, query, body and answer.
 * Needs nothing but `fetch`: Node 20 or newer, browsers, Workers, Deno and Bun.
 *
 *     const longshore = createClient({ url: 'https://longshore.example', token: process.env.LONGSHORE_KEY });
 *     const { deployment } = await longshore.call('POST /api/services/:serviceId/deployments', { params: { serviceId } });
 *     for await (const { event, data } of longshore.events('GET /api/deployments/:deploymentId/stream', {
 *       params: { deploymentId: deployment.id },
 *     })) console.log(event, data);
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Routes } from './api-types.ts';

export type * from './api-types.ts';

export interface ClientOptions {
  /** The API's origin, without a path. */
  url: string;
  /** An API key, or the operator token for `/api/system`. */
  token: string;
  /**
   * Reads from the nearest copy of the database that is at least as new as this client's earlier reads and writes, so that a GET need not cross an
   * ocean. Needs read replication (docs/operate/cloudflare.md); without it, nothing changes.
   */
  readsNear?: boolean;
  fetch?: typeof fetch;
}

/** Routes that answer JSON; the others are streams and bytes. */
export type CallRoute = {
  [Name in keyof Routes]: Routes[Name] extends { reply: unknown } ? Name : never;
}[keyof Routes];

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Params<Name extends string> =
  ParameterNames<Name> extends never ? { params?: never } : { params: Record<ParameterNames<Name>, string> };
type Optional<Value> = Partial<Value> extends Value ? true : false;
type Part<Route, Key extends string> =
  Route extends Record<Key, infer Value>
    ? Optional<Value> extends true
      ? { [K in Key]?: Value }
      : { [K in Key]: Value }
    : { [K in Key]?: never };

/** The content of a file: a Blob (`fs.openAsBlob` in Node; a `slice` of it for parts), or bytes in memory. */
export type Bytes = Blob | Uint8Array<ArrayBuffer>;

export type CallOptions<Name extends keyof Routes> = Params<Name> &
  Part<Routes[Name], 'query'> &
  Part<Routes[Name], 'body'> &
  (Routes[Name] extends { bytes: true } ? { bytes: Bytes } : { bytes?: never }) & {
    signal?: AbortSignal;
    /** Makes a POST that creates something safe to repeat for 24 h. */
    idempotencyKey?: string;
  };

export type ReplyOf<Name extends CallRoute> = Routes[Name] extends { reply: infer Reply } ? Reply : never;

/** Routes that answer Server-Sent Events. */
export type EventRoute = {
  [Name in keyof Routes]: Routes[Name] extends { event: unknown } ? Name : never;
}[keyof Routes];

/**
 * One Server-Sent Event (docs/design/interface.md#streams). `event` is the type of `data`, which is parsed JSON. `id` is that of the last log line
 * in it: pass it as `lastEventId` to continue after that line.
 */
export type EventOf<Name extends EventRoute> = Routes[Name] extends { event: infer Event }
  ? Event & { id?: string | undefined }
  : never;

/** An error response of the API, with the API's own sentence. */
export class LongshoreError extends Error {
  override readonly name = 'LongshoreError';
  readonly status: number;
  /** The machine-readable error code; empty when something other than the API answered. */
  readonly code: string;
  readonly requestId: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Response, body: Record<string, unknown>) {
    super(typeof body.error === 'string' ? body.error : `The server answered ${response.status}.`);
    this.status = response.status;
    this.code = typeof body.code === 'string' ? body.code : '';
    this.requestId = typeof body.requestId === 'string' ? body.requestId : '';
    const retryAfter = response.headers.get('retry-after');
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

/**
 * The first sentence of the error, with the address of a DNS record that Longshore did not create. For the question whether to replace the record.
 * @param error of the route that sets a DNS record
 * @returns undefined for any other error
 */
export const pointsElsewhere = (error: unknown): string | undefined =>
  error instanceof LongshoreError && error.code === 'points_elsewhere'
    ? error.message.replace(/(?<=\. ).*$/s, '').trim()
    : undefined;

type Given<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options];

/** Routes that return a page of a list. */
export type ListRoute = {
  [Name in CallRoute]: ReplyOf<Name> extends { nextCursor?: string }
    ? Routes[Name] extends { query: unknown }
      ? Name
      : never
    : never;
}[CallRoute];

export interface LongshoreClient {
  /** Calls a route that answers JSON. @throws LongshoreError for every status but 200; TypeError without an answer. */
  call<Name extends CallRoute>(name: Name, ...options: Given<CallOptions<Name>>): Promise<ReplyOf<Name>>;
  /** Calls a route that returns a list, page by page. @returns the first answer with the lists of all pages. @throws LongshoreError like `call`. */
  all<Name extends ListRoute>(name: Name, ...options: Given<CallOptions<Name>>): Promise<ReplyOf<Name>>;
  /** Follows a stream of events until the server ends it. @throws LongshoreError like `call`. */
  events<Name extends EventRoute>(
    name: Name,
    options: CallOptions<Name> & { lastEventId?: string },
  ): AsyncGenerator<EventOf<Name>, void, undefined>;
  /** Returns the response itself, for downloads. @throws LongshoreError like `call`. */
  open<Name extends keyof Routes>(name: Name, ...options: Given<CallOptions<Name>>): Promise<Response>;
}

interface AnyOptions {
  params?: Record<string, string>;
  query?: object;
  body?: unknown;
  bytes?: Bytes;
  signal?: AbortSignal;
  idempotencyKey?: string;
  lastEventId?: string;
}

export function createClient({ url, token, readsNear, fetch: send = fetch }: ClientOptions): LongshoreClient {
  let bookmark = 'nearest';
  async function request(name: string, options: AnyOptions = {}): Promise<Response> {
    const [method = '', path = ''] = name.split(' ');
    const target = new URL(filled(path, options.params), url);
    for (const [key, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) target.searchParams.set(key, String(value));
    }
    const response = await send(target, {
      method,
      // The API never redirects. A redirect would send the body with its secrets to another address.
      redirect: 'manual',
      headers: { ...headersOf(token, options), ...(readsNear ? { 'x-bookmark': bookmark } : {}) },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.bytes === undefined ? {} : { body: options.bytes }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    bookmark = response.headers.get('x-bookmark') ?? bookmark;
    if (response.status === 200) return response;
    throw new LongshoreError(response, await refusalOf(response));
  }

  // The type was generated from the route's own schema.
  const call = async <Name extends CallRoute>(name: Name, options?: AnyOptions) =>
    (await (await request(name, options)).json()) as ReplyOf<Name>;

  return {
    call,
    async all<Name extends ListRoute>(name: Name, options: AnyOptions = {}) {
      const whole = (await call(name, options)) as Paged;
      for (let page = whole; page.nextCursor !== undefined; ) {
        page = (await call(name, {
          ...options,
          query: { ...options.query, cursor: page.nextCursor },
        })) as Paged;
        for (const [field, rows] of Object.entries(page)) {
          const before = whole[field];
          if (Array.isArray(rows) && Array.isArray(before)) before.push(...rows);
        }
      }
      delete whole.nextCursor;
      return whole as ReplyOf<Name>;
    },
    open: (name, options?: AnyOptions) => request(name, options),
    async *events<Name extends EventRoute>(
      name: Name,
      options: CallOptions<Name> & { lastEventId?: string },
    ) {
      const { body } = await request(name, options);
      const messages = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event = 'message', data, id } of messages ?? [])
        yield { event, data: JSON.parse(data), id } as unknown as EventOf<Name>; // the type comes from the schema
    },
  };
}

interface Paged {
  nextCursor?: string;
  [field: string]: unknown;
}

/** The fields of the error body; empty when something other than the API answered. */
async function refusalOf(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => undefined);
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

function filled(path: string, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function headersOf(token: string, options: AnyOptions): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
  };
}
