/** Calls to the HTTP API of a provider: bounded in time, repeated only where nothing can happen twice, silent about credentials. */
import type { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';

/** How the Worker reaches the internet. */
export interface Outside {
  fetch(request: Request): Promise<Response>;
  pause(ms: number): Promise<void>;
  /** For one call, its body included. */
  timeLimitMs: number;
}

export interface ProviderApi {
  /** As users know it. */
  name: string;
  baseUrl: string;
  headers: Record<string, string>;
  /** Texts that no message may hold. */
  secrets: readonly string[];
  /** The provider's own words in the body of a refusal; undefined when there are none. */
  refusalIn(body: unknown): string | undefined;
}

interface Answer {
  status: number;
  text: string;
  retryAfterSeconds: number | undefined;
}

/** After a call that failed on its way. */
const retryPauseMs = 500;
/** A client waits for us: a provider that wants a longer pause is passed on to it. */
const retryAfterSecondsMax = 5;
const messageMax = 300;

export class ProviderHttp {
  readonly #outside: Outside;
  readonly #api: ProviderApi;

  constructor(outside: Outside, api: ProviderApi) {
    this.#outside = outside;
    this.#api = api;
  }

  /** @returns what was read. @throws ApiError as in DnsAccount. */
  async get<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
    const { text } = await this.#settled('GET', path);
    const parsed = schema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    throw this.#unavailable('answered in a form that is not known here');
  }

  /** @throws ApiError as in DnsAccount. */
  async send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<void> {
    await this.#settled(method, path, body);
  }

  /** A successful answer. Tried again once: after 429, which did nothing, and after a failed GET. */
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
      // Followed, a redirect would carry the credentials to another host.
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
    if (status === 429) throw this.#unavailable('takes no more requests for now', retryAfterSeconds);
    if (status < 400 || status >= 500) throw this.#unavailable(`answered HTTP ${status}`);
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

/** Foreign words as part of a sentence of ours: one line, without credentials, cut, with a full stop. */
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

/** RFC 9110, section 10.2.3, as seconds; the form with a date is rounded to none. */
function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** undefined for what is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
