/** Calls to the HTTP API of a provider, with time limits and without credentials in messages; retried only where that is safe. */
import type { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';

/** Access to the internet. */
export interface Outside {
  fetch(request: Request): Promise<Response>;
  pause(ms: number): Promise<void>;
  /** Time limit of one call, including its body. */
  timeLimitMs: number;
}

export interface ProviderApi {
  /** Display name. */
  name: string;
  baseUrl: string;
  headers: Record<string, string>;
  /** Secrets that no message may contain. */
  secrets: readonly string[];
  /** The provider's message in the body of a refusal; undefined if there is none. */
  refusalIn(body: unknown): string | undefined;
}

interface Answer {
  status: number;
  text: string;
  retryAfterSeconds: number | undefined;
}

/** Pause after a call that failed on the network. */
const retryPauseMs = 500;
/** Short, because a client waits: a longer `Retry-After` of the provider is passed on to the client. */
const retryAfterSecondsMax = 5;
const messageMax = 300;

export class ProviderHttp {
  readonly #outside: Outside;
  readonly #api: ProviderApi;

  constructor(outside: Outside, api: ProviderApi) {
    this.#outside = outside;
    this.#api = api;
  }

  /** @returns the parsed body @throws ApiError as DnsAccount */
  async get<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
    return this.#parsed(await this.#settled('GET', path), schema);
  }

  /** Sends a query that is too long for a URL. @returns the parsed body @throws ApiError as DnsAccount */
  async ask<Value>(path: string, question: unknown, schema: z.ZodType<Value>): Promise<Value> {
    return this.#parsed(await this.#settled('POST', path, question), schema);
  }

  #parsed<Value>({ text }: Answer, schema: z.ZodType<Value>): Value {
    const parsed = schema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    throw this.#unavailable('gave an answer that was not understood');
  }

  /** @throws ApiError as DnsAccount */
  async send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<void> {
    await this.#settled(method, path, body);
  }

  /** A successful response. Retried once: after 429, which changed nothing, and after a failed GET. */
  async #settled(method: string, path: string, body?: unknown): Promise<Answer> {
    const first = await this.#attempt(method, path, body);
    const waitMs = retryWaitMs(method, first);
    if (waitMs === undefined) return this.#success(first);
    await this.#outside.pause(waitMs);
    return this.#success(await this.#attempt(method, path, body));
  }

  async #attempt(method: string, path: string, body: unknown): Promise<Answer | ApiError> {
    const { baseUrl, headers } = this.#api;
    const request = new Request(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would send the credentials to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(this.#outside.timeLimitMs),
    });
    try {
      const response = await this.#outside.fetch(request);
      const text = await response.text();
      return { status: response.status, text, retryAfterSeconds: retryAfterOf(response) };
    } catch (cause) {
      const late = cause instanceof Error && cause.name === 'TimeoutError';
      return this.#unavailable(
        late ? `did not answer within ${this.#outside.timeLimitMs / 1000} s` : 'could not be reached',
      );
    }
  }

  #success(answer: Answer | ApiError): Answer {
    if (answer instanceof ApiError) throw answer;
    const { status, text, retryAfterSeconds } = answer;
    if (status >= 200 && status < 300) return answer;
    if (status === 429) throw this.#unavailable('refuses more requests for now', retryAfterSeconds);
    if (status < 400 || status >= 500) throw this.#unavailable(`answered with HTTP ${status}`);
    const words = this.#api.refusalIn(jsonOf(text)) ?? 'no reason given';
    throw new ApiError(
      'provider_refused',
      `${this.#api.name} refused (HTTP ${status}): ${presentable(words, this.#api.secrets)}`,
    );
  }

  #unavailable(what: string, retryAfterSeconds?: number): ApiError {
    const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return new ApiError('unavailable', `${this.#api.name} ${what}: try again later.`, options);
  }
}

/** Makes a provider's text part of a sentence: one line, without credentials, shortened, with a full stop. */
export function presentable(words: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), words);
  const line = masked.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const cut = line.length > messageMax ? `${line.slice(0, messageMax)}...` : line;
  return /[.!?]$/.test(cut) ? cut : `${cut}.`;
}

function retryWaitMs(method: string, answer: Answer | ApiError): number | undefined {
  if (answer instanceof ApiError) return method === 'GET' ? retryPauseMs : undefined;
  if (answer.status === 429) {
    const seconds = answer.retryAfterSeconds ?? 1;
    return seconds <= retryAfterSecondsMax ? seconds * 1000 : undefined;
  }
  return method === 'GET' && answer.status >= 500 ? retryPauseMs : undefined;
}

/** RFC 9110, section 10.2.3, in seconds; the date format is ignored. */
function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** Undefined if the text is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
