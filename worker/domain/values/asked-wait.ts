/**
 * The wait that a server requests before the next request, in the headers of its answer: `Retry-After` in seconds or as a date (RFC
 * 9110), or GitHub's limits (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */

/** The longest wait, even if the server requests more. */
const waitMaxMs = 4 * 3_600_000;

/** @returns milliseconds, 0 to four hours; null without such a request */
export function askedWaitMs(headers: Pick<Headers, 'get'>, now: number): number | null {
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const wait =
    afterOf(headers.get('retry-after'), now) ??
    (isUsedUp ? untilOf(headers.get('x-ratelimit-reset'), now) : undefined);
  return wait === undefined ? null : Math.min(Math.max(wait, 0), waitMaxMs);
}

function afterOf(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Without a time the wait is a minute, as GitHub demands. */
const untilOf = (epochSeconds: string | null, now: number): number =>
  epochSeconds !== null && /^\d{1,12}$/.test(epochSeconds) ? Number(epochSeconds) * 1000 - now : 60_000;
