import { ApiError } from '../../domain/errors.ts';
import { MinuteCounts, secondsToNextMinute } from '../../domain/values/minute-counts.ts';

/** Limits for one address in a minute, and for open sign-ins of all addresses in a group. */
const signInStartsMax = { perMinute: 30, open: 20 };
/** Older ones are no longer counted: this isolate does not notice that a client left before its answer. */
const lostMs = 20_000;
const retryAfterSeconds = 2;

/**
 * Limits the sign-ins that begin at identity providers, in the isolate's memory (call-limit). Anybody can begin one, and each causes a
 * request to the provider and stays open until the provider answers.
 */
export class SignInStarts {
  readonly #counts = new MinuteCounts();
  #open: { since: number; group: string }[] = [];

  /**
   * @param address of the client
   * @param group those of another group do not wait for these: the issuers that a tenant names may be slow on purpose
   * @returns a function that ends the counting
   * @throws ApiError `rate_limited`
   */
  enter(address: string, now: number, group = ''): () => void {
    if (this.#counts.add(address, now) > signInStartsMax.perMinute) {
      const words = `More than ${signInStartsMax.perMinute} sign-ins were begun from this address in one minute`;
      throw tooMany(words, secondsToNextMinute(now));
    }
    this.#open = this.#open.filter(({ since }) => now - since < lostMs);
    if (this.#open.filter((one) => one.group === group).length >= signInStartsMax.open)
      throw tooMany('Too many sign-ins wait for their identity providers', retryAfterSeconds);
    const start = { since: now, group };
    this.#open.push(start);
    return () => {
      this.#open = this.#open.filter((one) => one !== start);
    };
  }
}

const tooMany = (words: string, seconds: number) =>
  new ApiError('rate_limited', `${words}: try again a moment later.`, { retryAfterSeconds: seconds });
