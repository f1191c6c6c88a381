/**
 * Counts the platform's billed requests to objects of logs, and derives the pace of lines. The free plan has 100,000 requests a day,
 * and then nothing works until the next day. A row for each request would be too expensive, so one request in a hundred is written and
 * counts as a hundred: that needs no memory, which an object loses when it hibernates.
 * https://developers.cloudflare.com/durable-objects/platform/pricing/
 */
import { normalPaceMs, paceMsOf } from '../domain/logs/log-pace.ts';
import { dayOf } from '../domain/tenants/tenant-day.ts';
import { addObjectRequests } from '../store/instance/object-day-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';

/** Requests per row. */
const sample = 100;
/** A socket's incoming message counts as a twentieth of a request. */
export const messageRequests = 1 / 20;

export class DayBudget {
  readonly #ctx: DurableObjectState;
  readonly #deps: () => Pick<Dependencies, 'db' | 'now'>;
  readonly #paced: (paceMs: number) => void;
  #known = { day: 0, paceMs: normalPaceMs };

  /** @param paced called with the pace each time it was read */
  constructor(
    ctx: DurableObjectState,
    deps: () => Pick<Dependencies, 'db' | 'now'>,
    paced: (paceMs: number) => void,
  ) {
    this.#ctx = ctx;
    this.#deps = deps;
    this.#paced = paced;
  }

  /** Milliseconds between frames, as of the last read. A new day begins with the normal pace. */
  get paceMs(): number {
    return this.#known.day === dayOf(this.#deps().now()) ? this.#known.paceMs : normalPaceMs;
  }

  /** Part of an answer to a host; empty at the normal pace. */
  get answer(): { paceMs?: number } {
    return this.paceMs === normalPaceMs ? {} : { paceMs: this.paceMs };
  }

  /** @param requests number as billed */
  count(requests: number): void {
    if (Math.random() < requests / sample) this.#ctx.waitUntil(this.#update(sample));
  }

  /** Reads the pace, because a reader has connected. */
  look(): void {
    this.#ctx.waitUntil(this.#update(0));
  }

  async #update(requests: number): Promise<void> {
    const { db, now } = this.#deps();
    try {
      const use = await addObjectRequests(db, requests, now());
      this.#known = { day: dayOf(now()), paceMs: paceMsOf(use) };
      this.#paced(this.paceMs);
    } catch (error) {
      console.error('The requests of the day could not be counted:', error);
    }
  }
}
