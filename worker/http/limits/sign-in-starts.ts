import { ApiError } from '../../domain/errors.ts';
import { MinuteCounts, secondsToNextMinute } from '../../domain/values/minute-counts.ts';

/** Of one address in a minute, and open at the same moment in all. */
const signInStartsMax = { perMinute: 30, open: 20 };
/** What takes longer is no longer counted: nothing here learns that a client left before it had an answer. */
const lostMs = 20_000;
const retryAfterSeconds = 2;

/**
 * Bounds the sign-ins that begin at identity providers, in the isolate's memory (call-limit). Anybody can begin one, and each makes this
 * instance ask the provider, and hold a request while it does not answer.
 */
export class SignInStarts {
  readonly #counts = new MinuteCounts();
  #open: { since: number }[] = [];

  /**
   * @param address of the client
   * @returns gives the place back
   * @throws ApiError `rate_limited`
   */
  enter(address: string, now: number): () => void {
    if (this.#counts.add(address, now) > signInStartsMax.perMinute) {
      const words = `More than ${signInStartsMax.perMinute} sign-ins were begun from this address in one minute`;
      throw tooMany(words, secondsToNextMinute(now));
    }
    this.#open = this.#open.filter(({ since }) => now - since < lostMs);
    if (this.#open.length >= signInStartsMax.open)
      throw tooMany('Too many sign-ins wait for their identity providers', retryAfterSeconds);
    const start = { since: now };
    this.#open.push(start);
    return () => {
      this.#open = this.#open.filter((one) => one !== start);
    };
  }
}

const tooMany = (words: string, seconds: number) =>
  new ApiError('rate_limited', `${words}: try again a moment later.`, { retryAfterSeconds: seconds });
