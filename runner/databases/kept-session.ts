/**
 * One session with a database and its requests: a few run at once, more wait, further ones are refused. Every wait has a limit.
 *
 *   open -> requests run; idle for too long -> closed
 *   retired (the container was replaced, it did not answer, the runner stops) -> no new requests; closes after the last running one
 */
import { type Clock, pause } from '../base/clock.ts';
import type { EngineSession } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';

export interface SessionLimits {
  /** The limit of requests that run in one database at once: a slow statement leaves room for others. */
  atOnce: number;
  /** The limit of requests that wait for their turn. */
  waitingMax: number;
  /** The longest wait for a turn. */
  waitMs: number;
  /** The limit from a request's turn to its answer. It is longer than a statement may run: a database that takes this long no longer answers. */
  answerMs: number;
  /** A session without requests for this long is closed. */
  idleMs: number;
}

export interface KeptSessionParts {
  open: () => Promise<EngineSession>;
  clock: Clock;
  limits: SessionLimits;
  /** Called when the session accepts no more requests. */
  over: () => void;
}

interface Waiter {
  start: () => void;
  refuse: (why: EngineError) => void;
}

export class KeptSession {
  readonly #parts: KeptSessionParts;
  readonly #session: Promise<EngineSession>;
  readonly #waiting: Waiter[] = [];
  #atWork = 0;
  #isRetired = false;
  #closed: Promise<void> | undefined;
  #cancelIdle: () => void = () => {};

  constructor(parts: KeptSessionParts) {
    this.#parts = parts;
    this.#session = parts.open();
    this.#session.catch((error: unknown) => this.retire(EngineError.from(error)));
  }

  get isIdle(): boolean {
    return this.#atWork === 0;
  }

  /** @throws EngineError `unavailable` when too many requests wait, `timeout` when no answer arrives, and the request's own errors */
  async ask<Answer>(question: (session: EngineSession) => Promise<Answer>): Promise<Answer> {
    await this.#turn();
    try {
      return await this.#answer(question);
    } finally {
      this.#done();
    }
  }

  /** Accepts no more requests; waiting ones are refused, running ones finish first. */
  retire(why: EngineError): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#cancelIdle();
    this.#parts.over();
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(why);
    if (this.isIdle) void this.#close();
  }

  /** Closes the session even while requests run. Never rejects. */
  async end(why: EngineError): Promise<void> {
    this.retire(why);
    await this.#close();
  }

  #turn(): Promise<void> {
    const { clock, limits } = this.#parts;
    this.#cancelIdle();
    if (this.#atWork < limits.atOnce) {
      this.#atWork += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= limits.waitingMax) return Promise.reject(this.#busy());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      start: () => {
        cancel();
        this.#atWork += 1;
        resolve();
      },
      refuse: (why) => {
        cancel();
        reject(why);
      },
    };
    const cancel = clock.after(limits.waitMs, () => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      reject(this.#busy());
    });
    this.#waiting.push(waiter);
    return promise;
  }

  async #answer<Answer>(question: (session: EngineSession) => Promise<Answer>): Promise<Answer> {
    const { clock, limits } = this.#parts;
    const answered = new AbortController();
    let isAsked = false;
    const late = pause(clock, limits.answerMs, answered.signal).then((): Answer => {
      const why = new EngineError(
        isAsked ? 'timeout' : 'unavailable',
        `The database did not answer within ${limits.answerMs / 1000} s.${isAsked ? '' : ' Nothing was done; try again in a moment.'}`,
      );
      if (!answered.signal.aborted) this.retire(why);
      throw why;
    });
    try {
      const asked = this.#session.then((session) => {
        isAsked = true;
        return question(session);
      });
      return await Promise.race([asked, late]);
    } finally {
      answered.abort();
    }
  }

  #done(): void {
    const { clock, limits } = this.#parts;
    this.#atWork -= 1;
    const next = this.#waiting.shift();
    if (next) next.start();
    else if (!this.isIdle) return;
    else if (this.#isRetired) void this.#close();
    else this.#cancelIdle = clock.after(limits.idleMs, () => this.retire(unused));
  }

  #busy(): EngineError {
    const { atOnce } = this.#parts.limits;
    return new EngineError(
      'unavailable',
      `The database is busy: ${atOnce} queries are running and others are waiting. Nothing was done; try again in a moment.`,
    );
  }

  /** Closes once, even if called several times. */
  #close(): Promise<void> {
    // A rejection means that the session never opened or is already gone.
    this.#closed ??= this.#session.then((session) => session.close()).catch(() => {});
    return this.#closed;
  }
}

const unused = new EngineError('unavailable', 'The session was closed because it was idle.');
