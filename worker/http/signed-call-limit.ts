import { ApiError } from '../domain/errors.ts';
import { MinuteCounts, secondsToNextMinute } from '../domain/minute-counts.ts';

/** More pushes than this to one branch are a loop, not people. */
const callsPerMinute = 60;

/** Proven calls per resource and minute, in the isolate's memory like those of keys (call-limit). Unproven ones are failed sign-ins. */
export class SignedCallLimit {
  readonly #calls = new MinuteCounts();

  /** @throws ApiError `rate_limited`. */
  count(resourceId: string, now: number): void {
    if (this.#calls.add(resourceId, now) <= callsPerMinute) return;
    throw new ApiError(
      'rate_limited',
      `More than ${callsPerMinute} signed requests in a minute: wait, or send fewer events.`,
      { retryAfterSeconds: secondsToNextMinute(now) },
    );
  }
}
