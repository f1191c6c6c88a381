/** Calls to the REST API of GitHub: https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api */

import { askedWaitMs } from '../domain/values/asked-wait.ts';
import { AnswerTooLarge, jsonAnswer } from './json-answer.ts';

export interface GitHubRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  /** A JWT of the app or a token of an installation; if absent, none is sent. */
  token?: string;
  body?: unknown;
  /** Whether the host name may resolve to a private address. */
  allowsPrivate: boolean;
}

export interface GitHubAnswer {
  status: number;
  /** Parsed JSON; undefined if the body is no JSON. */
  body: unknown;
  /** Whether GitHub refused because of too many requests: by 429, or by 403 and a header (domain/asked-wait). */
  isLimited: boolean;
}

export interface GitHubApi {
  /** Follows no redirect. @throws GitHubFailure without an answer in time, or for one that is too large */
  ask(request: GitHubRequest): Promise<GitHubAnswer>;
}

/** Why there was no answer, as a sentence for the user. */
export class GitHubFailure extends Error {
  override readonly name = 'GitHubFailure';
}

/**
 * @param timeLimitMs limit of one call, including its body
 * @param innerFetch also reaches private addresses (networks)
 */
export function createGitHubApi(
  fetch: typeof globalThis.fetch,
  timeLimitMs: number,
  innerFetch: typeof globalThis.fetch = fetch,
): GitHubApi {
  return {
    async ask({ method, url, token, body, allowsPrivate }) {
      const { host } = new URL(url);
      const signal = AbortSignal.timeout(timeLimitMs);
      try {
        const response = await (allowsPrivate ? innerFetch : fetch)(url, {
          ...{ method, redirect: 'manual', signal },
          headers: {
            accept: 'application/vnd.github+json',
            'x-github-api-version': '2022-11-28',
            // "All API requests must include a valid User-Agent header" (the page above).
            'user-agent': 'Longshore',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const { status, headers } = response;
        const isLimited = status === 429 || (status === 403 && askedWaitMs(headers, Date.now()) !== null);
        return { status, body: await jsonAnswer(response), isLimited };
      } catch (error) {
        if (error instanceof AnswerTooLarge) throw new GitHubFailure(error.message);
        if (signal.aborted) throw new GitHubFailure(`${host} did not answer within ${timeLimitMs / 1000} s.`);
        throw new GitHubFailure(`${host} could not be reached.`);
      }
    },
  };
}
