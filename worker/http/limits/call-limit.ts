import { ApiError } from '../../domain/errors.ts';
import type { Settings } from '../../domain/instance/settings.ts';
import { MinuteCounts, secondsToNextMinute } from '../../domain/values/minute-counts.ts';

type Limits = Pick<Settings, 'readsPerMinute' | 'writesPerMinute'>;

/**
 * Limits calls per key and minute. Counts live in the isolate's memory, so they cost no round trip, object or row. The embedded start
 * has one isolate, so its limit is exact. Cloudflare runs several isolates, at least one per location, and each counts separately: a
 * key that calls from many places gets a multiple of the limit. The limit protects the instance from one client; it is not a quota.
 */
export class CallLimit {
  readonly #reads = new MinuteCounts();
  readonly #writes = new MinuteCounts();

  /** @throws ApiError `rate_limited` if the key has used up this minute's calls. */
  count(keyId: string, access: 'read' | 'write', limits: Limits, now: number): void {
    const isRead = access === 'read';
    const count = (isRead ? this.#reads : this.#writes).add(keyId, now);
    const limit = isRead ? limits.readsPerMinute : limits.writesPerMinute;
    if (count <= limit) return;
    throw new ApiError(
      'rate_limited',
      `This key has reached its limit of ${limit} ${access} requests per minute: wait, or spread them out.`,
      { retryAfterSeconds: secondsToNextMinute(now) },
    );
  }
}

/** More pushes than this to one branch come from a loop, not from people. */
const callsPerMinute = 60;

/** Limits verified calls per resource and minute, in the isolate's memory like CallLimit. Unverified calls count as failed sign-ins. */
export class SignedCallLimit {
  readonly #calls = new MinuteCounts();

  /** @throws ApiError `rate_limited`. */
  count(resourceId: string, now: number): void {
    if (this.#calls.add(resourceId, now) <= callsPerMinute) return;
    throw new ApiError(
      'rate_limited',
      `More than ${callsPerMinute} signed requests in one minute: wait, or send fewer events.`,
      { retryAfterSeconds: secondsToNextMinute(now) },
    );
  }
}
