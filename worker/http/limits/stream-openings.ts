import { ApiError } from '../../domain/errors.ts';

/** Streams that one caller may be opening at the same moment, and all callers together. */
export const openingsMax = { caller: 16, all: 64 };
/** What takes longer is no longer counted: nothing here learns that a client left before it had an answer. */
const lostMs = 20_000;
/** Refused callers come back one after the other, so that they do not all meet again. */
const retrySeconds = { least: 1, most: 5 };

interface Opening {
  caller: string;
  since: number;
}

/**
 * Bounds how many event streams begin at once, in the isolate's memory (call-limit). To begin one takes about 10 ms of the only thread:
 * it is a read of D1, a call to an object and a socket. A thousand at once would make all other requests wait for them. A stream that has
 * begun is not counted any more. Asked before the caller is verified, because a refusal has to be cheap.
 */
export class StreamOpenings {
  #openings: Opening[] = [];
  #refused = 0;

  /**
   * @param caller what the request is signed in with, verified or not
   * @returns gives the place back: call it once the answer begins
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
