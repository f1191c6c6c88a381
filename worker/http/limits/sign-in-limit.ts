import { ApiError } from '../../domain/errors.ts';
import { MinuteCounts, minuteOf, secondsToNextMinute } from '../../domain/values/minute-counts.ts';
import type { FailedSignIns } from '../../usecases/access/record-failed-sign-ins.ts';

/** Work after a response is ended after 30 s (https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil). */
const writerLostMs = 30_000;
/** Addresses per write. Further addresses are counted but not written. */
const unwrittenMax = 1_000;
/** How long a token that was verified here is still looked up when its address is over the limit. */
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
 * before its token is looked up, so guessing causes no load on D1. Tokens that were verified here within the last hour are still
 * looked up, so an attacker does not lock out others with the same address. The counts are written to D1 for the operator, those of a
 * few seconds in one statement.
 */
export class SignInLimit {
  readonly #failures = new MinuteCounts();
  readonly #trusted = new Map<string, number>();
  #unwritten = new Map<string, FailedSignIns>();
  #writerStartedAt = Number.NEGATIVE_INFINITY;
  readonly #gatherMs: number;

  /** @param gatherMs time in which failures are collected for one write */
  constructor(gatherMs: number) {
    this.#gatherMs = gatherMs;
  }

  /** @throws ApiError `rate_limited`. */
  assertMayLookUp(tokenId: string, attempt: Attempt): void {
    const { limit, now } = attempt;
    // The usual case, in which the address is not even parsed.
    if (this.#failures.isEmpty(now) || this.#failures.of(attempt.address, now) < limit) return;
    const verifiedAt = this.#trusted.get(tokenId);
    if (verifiedAt !== undefined && now - verifiedAt < trustedMs) return;
    throw tooMany(now);
  }

  /** Stores that a token was verified. */
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
   * Work to do after the response; undefined if a write is pending already, which will include the latest counts.
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
