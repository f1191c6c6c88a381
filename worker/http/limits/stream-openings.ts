import { ApiError } from '../../domain/errors.ts';

/** Streams that one caller may be opening at the same moment, and all callers together. */
export const openingsMax = { caller: 16, all: 64 };
/** Older ones are no longer counted: this isolate does not notice that a client left before its answer. */
const lostMs = 20_000;
/** Refused callers get different waits, so that they do not all retry at the same time. */
const retrySeconds = { least: 1, most: 5 };

interface Opening {
  caller: string;
  since: number;
}

/**
 * Limits how many event streams open at once, in the isolate's memory (call-limit). Opening one takes about 10 ms of the only thread: a
 * read of D1, a call to an object and a socket. A thousand at once would delay all other requests. An open stream is no longer counted.
 * The limit is checked before the caller is verified, because a refusal has to be cheap.
 */
export class StreamOpenings {
  #openings: Opening[] = [];
  #refused = 0;

  /**
   * @param caller the credential of the request, verified or not
   * @returns a function that ends the counting: call it when the answer begins
   * @throws ApiError `rate_limited`
   */
  enter(caller: string, now: number): () => void {
    this.#openings = this.#openings.filter(({ since }) => now - since < lostMs);
    const ofCaller = this.#openings.filter((one) => one.caller === caller).length;
    if (ofCaller >= openingsMax.caller || this.#openings.length >= openingsMax.all) throw this.#refusal();
    const opening = { caller, since: now };
    this.#openings.push(opening);
    return () => {
      this.#openings = this.#openings.filter((one) => one !== opening);
    };
  }

  #refusal(): ApiError {
    const { least, most } = retrySeconds;
    this.#refused += 1;
    return new ApiError(
      'rate_limited',
      `More than ${openingsMax.caller} event streams are being opened at once: open some of them a moment later.`,
      { retryAfterSeconds: least + (this.#refused % (most - least + 1)) },
    );
  }
}
