import { checkedProviderUrl } from '../../domain/access/identity-providers.ts';

/** Answers of providers are a few kilobytes. */
const bodyMaxBytes = 256 * 1024;

/** Why a sign-in at a provider failed. `refused`: the browser or the provider sent invalid data. `unreachable`: there was no usable answer. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly reason: 'refused' | 'unreachable';

  /** @param message a sentence without secrets */
  constructor(reason: SignInFailure['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Guarded {
  allowsPrivate: boolean;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for addresses of a provider, including those from its metadata: only allowed addresses, no redirects, limited time and size.
 * @throws SignInFailure
 */
export function guardedFetch(fetch: Fetch, timeLimitMs: number, { allowsPrivate }: Guarded): Fetch {
  return async (url, init) => {
    const { href, host } = allowedUrl(url, { allowsPrivate });
    const signal = AbortSignal.timeout(timeLimitMs);
    try {
      const response = await fetch(href, { ...init, redirect: 'manual', signal });
      const body = await limitedBody(response, host);
      const { status, headers } = response;
      const isEmpty = [101, 204, 205, 304].includes(status);
      return new Response(isEmpty ? null : body, { status, headers });
    } catch (error) {
      if (error instanceof SignInFailure) throw error;
      if (signal.aborted)
        throw new SignInFailure('unreachable', `${host} did not answer within ${timeLimitMs / 1000} s.`);
      throw new SignInFailure('unreachable', `${host} could not be reached.`, { cause: error });
    }
  };
}

/** @throws SignInFailure if requests to this URL are not allowed */
export function allowedUrl(url: string, { allowsPrivate }: Guarded): URL {
  try {
    return checkedProviderUrl(url, 'issuer', allowsPrivate);
  } catch (cause) {
    const words =
      'is not a public https address, which the setting "allowPrivateSignInProviders" would allow';
    throw new SignInFailure('unreachable', `The address ${url.slice(0, 200)} ${words}.`, { cause });
  }
}

async function limitedBody(response: Response, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > bodyMaxBytes) throw new SignInFailure('unreachable', `The answer of ${host} is too large.`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
