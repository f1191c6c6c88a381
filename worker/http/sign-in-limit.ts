import { ApiError } from '../domain/errors.ts';
import { MinuteCounts, minuteOf, secondsToNextMinute } from '../domain/minute-counts.ts';
import type { FailedSignIns } from '../usecases/keys/note-failed-sign-ins.ts';

/** Work after an answer ends after 30 s (https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil). */
const writerLostMs = 30_000;
/** Addresses of one write; in a flood of more, the rest is not written, only counted. */
const unwrittenMax = 1_000;
/** How long a token that proved itself here is looked up although others behind its address fail. */
const trustedMs = 3_600_000;
const trustedMax = 10_000;

export interface Attempt {
  /** Of the client (client-address). */
  readonly address: string;
  /** Failures that an address may have in a minute. */
  limit: number;
  now: number;
}

/**
 * Failed sign-ins per address and minute, counted in the isolate's memory like calls (call-limit). An address over the limit is
 * refused before its token is looked up, so that guessing costs D1 nothing; tokens that were right here within the hour are looked up
 * all the same: who guesses locks out nobody behind the same address. The counts are written to D1 for the operator, all of a few
 * seconds in one statement.
 */
export class SignInLimit {
  readonly #failures = new MinuteCounts();
  readonly #trusted = new Map<string, number>();
  #unwritten = new Map<string, FailedSignIns>();
  #writerStartedAt = Number.NEGATIVE_INFINITY;
  readonly #gatherMs: number;

  /** @param gatherMs time in which failures gather for one write */
  constructor(gatherMs: number) {
    this.#gatherMs = gatherMs;
  }

  /** @throws ApiError `rate_limited`. */
  assertMayLookUp(tokenId: string, attempt: Attempt): void {
    const { limit, now } = attempt;
    // As good as always; then the address is not even read.
    if (this.#failures.isEmpty(now) || this.#failures.of(attempt.address, now) < limit) return;
    const provenAt = this.#trusted.get(tokenId);
    if (provenAt !== undefined && now - provenAt < trustedMs) return;
    throw tooMany(now);
  }

  /** A token was right. */
  trust(tokenId: string, now: number): void {
    if (this.#trusted.size >= trustedMax && !this.#trusted.has(tokenId)) this.#trusted.clear();
    this.#trusted.set(tokenId, now);
  }

  /** Counts a failure. @returns the refusal when it is one too many. */
  failed({ address, limit, now }: Attempt): ApiError | undefined {
    this.#gather(address, minuteOf(now));
    return this.#failures.add(address, now) > limit ? tooMany(now) : undefined;
  }

  /**
   * For work after the answer: undefined when a write is already on its way, which takes what was just counted with it.
   * @param write is given all that was counted since the last one
   */
  writer(now: number, write: (counts: FailedSignIns[]) => Promise<void>): Promise<void> | undefined {
    if (now - this.#writerStartedAt < writerLostMs) return undefined;
    this.#writerStartedAt = now;
    return this.#writeGathered(write);
  }

  async #writeGathered(write: (counts: FailedSignIns[]) => Promise<void>): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#gatherMs));
    const counts = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    this.#writerStartedAt = Number.NEGATIVE_INFINITY;
    await write(counts);
  }

  #gather(address: string, minute: number): void {
    const name = `${minute} ${address}`;
    const known = this.#unwritten.get(name);
    if (known) known.count++;
    else if (this.#unwritten.size < unwrittenMax) this.#unwritten.set(name, { minute, address, count: 1 });
  }
}

function tooMany(now: number): ApiError {
  return new ApiError(
    'rate_limited',
    'Too many sign-ins from this address failed: check the key, and try again in a minute.',
    { retryAfterSeconds: secondsToNextMinute(now) },
  );
}
