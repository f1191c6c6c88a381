/** Background work outside of jobs: journalled, retried until it succeeds, resumed after a restart of the runner. */

import { type BackoffLimits, backoffMs } from '../base/backoff.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { NotYet } from '../base/not-yet.ts';
import type { Chore, ChoreRecords } from '../journal/chore-records.ts';

/** Does one chore; must be idempotent. Throws `NotYet` while it waits for another program. @param payload as added, parsed from JSON */
export type ChoreHandler = (payload: unknown, signal: AbortSignal) => Promise<void>;
export type ChoreHandlers = Record<string, ChoreHandler>;

const retryPause: BackoffLimits = { minMs: 2_000, maxMs: 300_000 };
/** About eight hours of retries; after that, the reconcile at the next start finds the rest. */
const failuresMax = 100;
/** A minute: longer than another runner takes to drain and stop its container. */
const waitsMax = 5;

export interface ChoresParts {
  records: ChoreRecords;
  clock: Clock;
  logger: Logger;
  /** Random number for the pauses between tries, from 0 to 1. */
  random?: () => number;
}

export class Chores {
  readonly #parts: ChoresParts;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #handlers: ChoreHandlers | undefined;

  constructor(parts: ChoresParts) {
    this.#parts = parts;
  }

  /** Journals the chore before it returns; runs it at once, or as soon as `start` is called. */
  add(kind: string, payload: unknown): void {
    const chore = this.#parts.records.add(kind, payload);
    if (this.#handlers) this.#run(chore, this.#handlers);
  }

  /** The payloads of the pending chores of one kind. */
  pending(kind: string): unknown[] {
    return this.#parts.records.all().flatMap((chore) => (chore.kind === kind ? [chore.payload] : []));
  }

  start(handlers: ChoreHandlers): void {
    this.#handlers = handlers;
    for (const chore of this.#parts.records.all()) this.#run(chore, handlers);
  }

  /** Aborts running chores; the journal keeps them for the next start. */
  async stop(): Promise<void> {
    this.#handlers = undefined;
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #run(chore: Chore, handlers: ChoreHandlers): void {
    const running = this.#untilDone(chore, handlers).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #untilDone({ id, kind, payload, failures }: Chore, handlers: ChoreHandlers): Promise<void> {
    const { records, clock, logger, random = Math.random } = this.#parts;
    const { signal } = this.#stopping;
    for (let failed = failures; failed < failuresMax; failed++) {
      if (failed > 0) await pause(clock, backoffMs(failed - 1, retryPause, random()), signal);
      if (signal.aborted) return;
      try {
        const handler = handlers[kind];
        if (!handler) throw new Error(`this version has no chore "${kind}"`);
        await handler(payload, signal);
        return records.remove(id);
      } catch (error) {
        if (signal.aborted) return;
        records.failed(id);
        if (!(error instanceof NotYet) || failed >= waitsMax)
          logger.warn(`chore ${kind} failed ${failed + 1} times: ${String(error)}`);
      }
    }
    logger.error(`chore ${kind} was given up after its last try: ${JSON.stringify(payload)}`);
    records.remove(id);
  }
}
