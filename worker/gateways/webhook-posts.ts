/** Posts to a server that the operator chose; only the status of the response matters. */

export interface WebhookPosts {
  /**
   * @returns the status of the response; redirects are not followed
   * @throws WebhookFailure if there was no response in time
   */
  post(url: string, headers: Record<string, string>, body: Uint8Array<ArrayBuffer>): Promise<number>;
}

/** Why there was no response: a sentence for the operator. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

const wordsMax = 200;

/** @param timeLimitMs until the response headers; the body is not read */
export function createWebhookPosts(fetch: typeof globalThis.fetch, timeLimitMs: number): WebhookPosts {
  return {
    async post(url, headers, body) {
      const signal = AbortSignal.timeout(timeLimitMs);
      try {
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
        await response.body?.cancel();
        return response.status;
      } catch (error) {
        if (signal.aborted)
          throw new WebhookFailure(`The receiver did not answer within ${timeLimitMs / 1000} s.`);
        const words = error instanceof Error ? error.message : String(error);
        throw new WebhookFailure(`The receiver could not be reached: ${words.slice(0, wordsMax)}`);
      }
    },
  };
}
