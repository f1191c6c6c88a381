import { ApiError } from '../../domain/errors.ts';
import { MinuteCounts, minuteOf, secondsToNextMinute } from '../../domain/values/minute-counts.ts';
import type { FailedSignIns } from '../../usecases/keys/record-failed-sign-ins.ts';

/** Work after a response is cut off after 30 s (https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil). */
const writerLostMs = 30_000;
/** Addresses per write. In a flood of more, the others are still counted but not written. */
const unwrittenMax = 1_000;
/** How long a token that was verified here is still looked up although its address is over the limit. */
const trustedMs = 3_600_000;
const trustedMax = 10_000;

export interface Attempt {
  /** The client's address (client-address). */
  readonly address: string;
  /** Allowed failures per address and minute. */
  limit: number;
  now: number;
}

/**
 * Counts failed sign-ins per address and minute, in the isolate's memory like calls (call-limit). An address over the limit is refused
 * before its token is looked up, so guessing costs D1 nothing. Tokens that were verified here within the last hour are still looked
 * up, so a guesser does not lock out others behind the same address. The counts are written to D1 for the operator, a few seconds'
 * worth in one statement.
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
    // The usual case; the address is then not even parsed.
    if (this.#failures.isEmpty(now) || this.#failures.of(attempt.address, now) < limit) return;
    const verifiedAt = this.#trusted.get(tokenId);
    if (verifiedAt !== undefined && now - verifiedAt < trustedMs) return;
    throw tooMany(now);
  }

  /** Remembers that a token was verified. */
  trust(tokenId: string, now: number): void {
    if (this.#trusted.size >= trustedMax && !this.#trusted.has(tokenId)) this.#trusted.clear();
    this.#trusted.set(tokenId, now);
  }

  /** Counts a failure. @returns the refusal if the address is over the limit. */
  failed({ address, limit, now }: Attempt): ApiError | undefined {
    this.#gather(address, minuteOf(now));
    return this.#failures.add(address, now) > limit ? tooMany(now) : undefined;
  }

  /**
   * Work for after the response; undefined if a write is already pending, which will include what was just counted.
   * @param write receives everything counted since the last write
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
    'Too many failed sign-ins from this address: check the key, and try again in a minute.',
    { retryAfterSeconds: secondsToNextMinute(now) },
  );
}
