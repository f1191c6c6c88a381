/** Reads from the API of a git host that a user chose. */
import { askedWaitMs } from '../domain/values/asked-wait.ts';
import { AnswerTooLarge, jsonAnswer } from './json-answer.ts';

export interface GitHostAnswer {
  status: number;
  /** Parsed JSON; undefined if the body is no JSON. */
  body: unknown;
  /** The wait that the host requests before the next request; `null` without one. */
  waitMs: number | null;
}

export interface GitHostReads {
  /**
   * Follows no redirect.
   * @param allowsPrivate whether the host name may resolve to a private address
   * @throws GitHostFailure without an answer in time, or for one that is too large
   */
  get(url: string, headers: Record<string, string>, allowsPrivate: boolean): Promise<GitHostAnswer>;
}

/** Why there was no answer, as a sentence for the user. */
export class GitHostFailure extends Error {
  override readonly name = 'GitHostFailure';
}

/**
 * @param timeLimitMs limit of one request, including its body
 * @param innerFetch also reaches private addresses (networks)
 */
export function createGitHostReads(
  fetch: typeof globalThis.fetch,
  timeLimitMs: number,
  innerFetch: typeof globalThis.fetch = fetch,
): GitHostReads {
  return {
    async get(url, headers, allowsPrivate) {
      const { host } = new URL(url);
      const signal = AbortSignal.timeout(timeLimitMs);
      try {
        const response = await (allowsPrivate ? innerFetch : fetch)(url, {
          ...{ method: 'GET', redirect: 'manual', signal },
          headers: { accept: 'application/json', 'user-agent': 'Longshore', ...headers },
        });
        const waitMs = askedWaitMs(response.headers, Date.now());
        return { status: response.status, body: await jsonAnswer(response), waitMs };
      } catch (error) {
        if (error instanceof AnswerTooLarge) throw new GitHostFailure(error.message);
        if (signal.aborted)
          throw new GitHostFailure(`${host} did not answer within ${timeLimitMs / 1000} s.`);
        throw new GitHostFailure(`${host} could not be reached.`);
      }
    },
  };
}
