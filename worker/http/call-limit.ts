import { ApiError } from '../domain/errors.ts';
import { MinuteCounts, secondsToNextMinute } from '../domain/minute-counts.ts';
import type { Settings } from '../domain/settings.ts';

type Limits = Pick<Settings, 'readsPerMinute' | 'writesPerMinute'>;

/**
 * Calls per key and minute. They are counted in the isolate's memory, which costs a request nothing: no round trip, no object, no row.
 * The embedded start is one isolate, so there the limit is exact; Cloudflare runs several, at least one a location, and each counts for
 * itself: a key that calls from everywhere has a multiple of the limit. It keeps one client from using up the instance; it is no quota.
 */
export class CallLimit {
  readonly #reads = new MinuteCounts();
  readonly #writes = new MinuteCounts();

  /** @throws ApiError `rate_limited` when the key has had its calls of this minute. */
  count(keyId: string, access: 'read' | 'write', limits: Limits, now: number): void {
    const isRead = access === 'read';
    const count = (isRead ? this.#reads : this.#writes).add(keyId, now);
    const limit = isRead ? limits.readsPerMinute : limits.writesPerMinute;
    if (count <= limit) return;
    throw new ApiError(
      'rate_limited',
      `This key has made its ${limit} ${access} requests of this minute: wait, or spread them out.`,
      { retryAfterSeconds: secondsToNextMinute(now) },
    );
  }
}
