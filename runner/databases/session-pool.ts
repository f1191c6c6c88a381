/** Sessions with the databases of this host: one per service while its container runs, with a limit in total. */
import type { Clock } from '../base/clock.ts';
import type { EngineSession } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import { KeptSession, type SessionLimits } from './kept-session.ts';

export interface PoolLimits extends SessionLimits {
  /** Each session costs connections and memory on both sides. */
  sessionsMax: number;
}

/** The total of these times is below the control plane's time limit (worker/usecases/ask-database). */
const poolLimits: PoolLimits = {
  atOnce: 4,
  waitingMax: 28,
  waitMs: 5_000,
  answerMs: 20_000,
  idleMs: 60_000,
  sessionsMax: 16,
};

/** Identifies one run of a database. */
export interface DatabasePlace {
  serviceId: string;
  /** Changes with every start of the container. */
  run: string;
}

export class SessionPool {
  readonly #clock: Clock;
  readonly #limits: PoolLimits;
  /** Sessions by service; the most recently used one is last. */
  readonly #kept = new Map<string, { run: string; session: KeptSession }>();

  constructor(clock: Clock, limits = poolLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * @param open opens a session with this run of the database, if there is none yet
   * @throws EngineError `unavailable` when too many requests wait or no answer arrives, and the errors of `open` and the request
   */
  async ask<Answer>(
    place: DatabasePlace,
    open: () => Promise<EngineSession>,
    question: (session: EngineSession) => Promise<Answer>,
  ): Promise<Answer> {
    return await this.#sessionOf(place, open).ask(question);
  }

  /** Closes all sessions, even while requests run. Never rejects. */
  async close(): Promise<void> {
    const why = new EngineError('unavailable', 'The runner of this host is stopping: try again in a moment.');
    await Promise.all([...this.#kept.values()].map(({ session }) => session.end(why)));
  }

  #sessionOf({ serviceId, run }: DatabasePlace, open: () => Promise<EngineSession>): KeptSession {
    const known = this.#kept.get(serviceId);
    if (known) {
      this.#kept.delete(serviceId);
      if (known.run !== run) known.session.retire(restarted);
      else this.#kept.set(serviceId, known);
      if (known.run === run) return known.session;
    }
    this.#evictIdle();
    const session = new KeptSession({
      open,
      clock: this.#clock,
      limits: this.#limits,
      over: () => {
        if (this.#kept.get(serviceId)?.session === session) this.#kept.delete(serviceId);
      },
    });
    this.#kept.set(serviceId, { run, session });
    return session;
  }

  /** Closes the least recently used idle session. */
  #evictIdle(): void {
    if (this.#kept.size < this.#limits.sessionsMax) return;
    const idle = [...this.#kept.values()].find(({ session }) => session.isIdle);
    if (!idle) {
      throw new EngineError(
        'unavailable',
        `The host already has open sessions with ${this.#limits.sessionsMax} databases, which is the limit. Nothing was done; try again in a moment.`,
      );
    }
    idle.session.retire(evictedReason);
  }
}

const restarted = new EngineError(
  'unavailable',
  'The database was restarted in the meantime. Nothing was done; try again.',
);
const evictedReason = new EngineError(
  'unavailable',
  'The session was closed to make room for another database.',
);
