import { ApiError } from '../../domain/errors.ts';
import { MinuteCounts, secondsToNextMinute } from '../../domain/values/minute-counts.ts';

/** More pushes than this to one branch come from a loop, not from people. */
const callsPerMinute = 60;

/** Limits verified calls per resource and minute, in the isolate's memory (call-limit). Unverified calls count as failed sign-ins. */
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
