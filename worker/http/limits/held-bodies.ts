import { ApiError } from '../../domain/errors.ts';

interface Bounds {
  /** Number of bodies at the same time; if absent, any number. */
  bodies?: number;
  bytes: number;
}

export interface HeldBodiesMax {
  caller: Bounds;
  all: Bounds;
}

const mb = 1024 * 1024;

/** Limits for requests that are not verified yet; the caller is a client address. An isolate on Cloudflare has 128 MB. */
export const strangersMax: HeldBodiesMax = {
  caller: { bodies: 16, bytes: 64 * mb },
  all: { bodies: 64, bytes: 64 * mb },
};
/** Limits for verified callers: 64 of the largest JSON bodies, and any number of small ones. */
export const keysMax: HeldBodiesMax = { caller: { bytes: 16 * mb }, all: { bytes: 64 * mb } };

const retryAfterSeconds = 2;

interface Held {
  caller: string;
  bytes: number;
  /** Time at which it is no longer counted, even if this isolate did not notice that the client left. */
  until: number;
}

/** Margin, because reading a body is aborted first. */
const marginMs = 5_000;

/**
 * Limits the request bodies that are being read at once, in the isolate's memory (call-limit). A slow or unfinished body is held until its
 * time is over (body-limit): without a limit, a client could fill the memory with unfinished bodies.
 */
export class HeldBodies {
  readonly #max: HeldBodiesMax;
  #held: Held[] = [];

  constructor(max: HeldBodiesMax) {
    this.#max = max;
  }

  /**
   * @param bytes largest size of the body
   * @param timeoutMs time limit of the body
   * @returns a function that ends the counting
   * @throws ApiError `rate_limited`
   */
  enter(caller: string, bytes: number, timeoutMs: number): () => void {
    const now = Date.now();
    this.#held = this.#held.filter(({ until }) => now < until);
    const all = this.#held;
    const own = all.filter((one) => one.caller === caller);
    if (isFull(own, bytes, this.#max.caller) || isFull(all, bytes, this.#max.all)) throw tooMany();
    const held = { caller, bytes, until: now + timeoutMs + marginMs };
    this.#held.push(held);
    return () => {
      this.#held = this.#held.filter((one) => one !== held);
    };
  }
}

const isFull = (held: readonly Held[], bytes: number, max: Bounds): boolean =>
  held.length >= (max.bodies ?? Number.POSITIVE_INFINITY) ||
  held.reduce((sum, one) => sum + one.bytes, bytes) > max.bytes;

const tooMany = () =>
  new ApiError(
    'rate_limited',
    'Too many requests are sending their bodies at the same moment: send this one again a moment later.',
    { retryAfterSeconds },
  );
