/**
 * A GET or HEAD at a registry. Redirects are followed here: each hop's address is resolved and checked, and the connection uses the checked
 * address. Authorization is only sent to the first origin.
 */
import type { IncomingMessage } from 'node:http';
import { JobFailure } from '../base/job-failure.ts';
import { request } from '../source/guarded-request.ts';
import type { Resolve } from '../source/system-resolve.ts';
import { RegistryError } from './registry-error.ts';

export interface RegistryGuard {
  /** True if the operator allows private addresses and plain http. */
  allowPrivate: boolean;
  /** Origins that the operator set as Docker's mirrors: only these may always be private. */
  trusted: ReadonlySet<string>;
  resolve: Resolve;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: IncomingMessage;
}

/** HEAD asks for the headers alone: registries count no pull for it. */
export type Method = 'GET' | 'HEAD';

/** Registries redirect once, to their store. */
const redirectsMax = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Resolves when the headers of the last hop have arrived; its body is still unread.
 * @throws JobFailure `source_refused` for an address that is not allowed; RegistryError; the signal's reason
 */
export async function guardedGet(
  guard: RegistryGuard,
  start: URL,
  headers: Record<string, string>,
  authorization?: string,
  method: Method = 'GET',
): Promise<Answer> {
  let url = start;
  for (let hops = 0; hops <= redirectsMax; hops += 1) {
    const isFirst = authorization !== undefined && url.origin === start.origin;
    const answer = await oneHop(guard, method, url, {
      'accept-encoding': 'identity',
      ...headers,
      ...(isFirst ? { authorization } : {}),
    });
    if (!redirects.has(answer.status)) return answer;
    answer.body.destroy();
    const next = URL.parse(answer.headers.location ?? '', url.href);
    if (!next) throw new RegistryError('broken', `${url.host} answered with a redirect to no address`);
    url = next;
  }
  throw new RegistryError('broken', `${start.host} redirected more than ${redirectsMax} times`);
}

async function oneHop(
  guard: RegistryGuard,
  method: Method,
  url: URL,
  headers: Record<string, string>,
): Promise<Answer> {
  const { trusted, resolve, signal } = guard;
  const allowPrivate = guard.allowPrivate || trusted.has(url.origin);
  try {
    const rules = { allowPrivate, asker: 'The registry', resolve, signal };
    return await request(rules, url.href, { method, headers });
  } catch (error) {
    if (!(error instanceof JobFailure) || error.code !== 'source_failed') throw error;
    throw new RegistryError('unreachable', `${url.host} cannot be reached`, { cause: error });
  }
}

/**
 * Reads a small body completely.
 * @throws RegistryError when it is larger than `bytesMax`, or ends too early
 */
export async function readSmall({ body }: Answer, bytesMax: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        throw new RegistryError('broken', `${what} is larger than ${bytesMax / 2 ** 20} MiB`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('unreachable', `${what} did not arrive whole`, { cause: error });
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}
