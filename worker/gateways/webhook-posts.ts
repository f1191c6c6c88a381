/** Posts to a server that a user chose. Used from the response: the status, a request to wait, and the beginning of a refusal. */
import { askedWaitMs } from '../domain/values/asked-wait.ts';

export interface WebhookPosts {
  /**
   * Follows no redirect.
   * @param allowsPrivate whether the host name may resolve to a private address
   * @throws WebhookFailure if there was no response in time
   */
  post(
    url: string,
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer>,
    allowsPrivate: boolean,
  ): Promise<WebhookReply>;
}

export interface WebhookReply {
  status: number;
  /** The wait that the server requests before the next request; `null` without one. */
  waitMs: number | null;
  /** The beginning of the body of a refusal (400 to 499); otherwise empty. */
  words: string;
}

/** Why there was no response, as a sentence for the operator. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

const wordsMax = 200;
/** Enough for the sentence of a refusal. */
const replyBytesMax = 2_000;

/**
 * @param timeLimitMs limit of the request, including the read part of the response
 * @param innerFetch also reaches private addresses (networks)
 */
export function createWebhookPosts(
  fetch: typeof globalThis.fetch,
  timeLimitMs: number,
  innerFetch: typeof globalThis.fetch = fetch,
): WebhookPosts {
  return {
    async post(url, headers, body, allowsPrivate) {
      const signal = AbortSignal.timeout(timeLimitMs);
      try {
        const send = allowsPrivate ? innerFetch : fetch;
        const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal });
        const { status } = response;
        const isRefusal = status >= 400 && status < 500;
        const words = isRefusal ? await beginOf(response) : '';
        if (!isRefusal) await response.body?.cancel();
        return { status, waitMs: askedWaitMs(response.headers, Date.now()), words };
      } catch (error) {
        if (signal.aborted)
          throw new WebhookFailure(`The receiver did not answer within ${timeLimitMs / 1000} s.`);
        const words = error instanceof Error ? error.message : String(error);
        // workerd on a developer's own machine reports no more than this.
        const why = words.startsWith('internal error')
          ? 'check its name, and whether it answers.'
          : words.slice(0, wordsMax);
        throw new WebhookFailure(`The receiver could not be reached: ${why}`);
      }
    },
  };
}

/** The beginning is enough if the body breaks off. */
async function beginOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.byteLength;
      if (bytes >= replyBytesMax) break;
    }
  } catch {
    // The part that was read is used.
  }
  return text.slice(0, replyBytesMax);
}
