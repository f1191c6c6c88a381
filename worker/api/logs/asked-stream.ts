/**
 * A Server-Sent Events response that polls its source for news: a host for lines, the database for changes. Nothing is pushed, and nothing
 * runs at the source between two polls.
 */
import { ApiError } from '../../domain/errors.ts';
import { pingEvent, statusEvent } from '../../domain/logs/log-events.ts';
import { eventStreamHeaders } from './log-event-stream.ts';

export const askedStreamTiming = {
  /** Pause between two polls while there is news. */
  busyMs: 1_000,
  /** Pause between two polls after `quietMs` without news. */
  idleMs: 4_000,
  quietMs: 30_000,
  /** After a slow poll the pause is at least this many times its duration: this limits the share of the source's time that a stream takes. */
  restFactor: 40,
  pingMs: 15_000,
  /** A stream ends within this time after its key is revoked or loses access, however long the polls and the pauses take. */
  recheckMs: 60_000,
  /** A client that reads nothing for this long is disconnected; it can resume with Last-Event-ID. */
  stalledMs: 60_000,
};

/** An invocation may make 1,000 calls to objects and the database; at this limit the client opens the stream again. */
const questionsMax = 800;

/** Result of a poll: the events to send, empty without news, and the place where the next poll starts. */
export interface News<Place> {
  events: string;
  place: Place;
  /** The time that the source worked for it, if that is less than the whole poll. */
  workMs?: number;
  /** Ends the stream: the client opens it again, and gets the state at that time. */
  isLast?: true;
}

export interface AskedSource<Place> {
  /** The first events of the stream. */
  first: News<Place>;
  /**
   * News since a place. `rate_limited` (the source is busy) counts as no news: the poll is repeated. Every other ApiError ends the stream:
   * the client opens it again and gets the reason.
   */
  ask(place: Place): Promise<News<Place>>;
  /** Aborts when the client's request ends. */
  signal: AbortSignal;
  /** Whether the key may still see what the stream reports. */
  stillOpen(): Promise<boolean>;
  /** Epoch milliseconds. */
  now(): number;
  /** Called when the stream has ended. */
  ended(): void;
  timing?: typeof askedStreamTiming;
}

/** Answers 200 with a body that continues until the client leaves, loses access, or the source fails. */
export function askedStream<Place>(source: AskedSource<Place>): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void new Follower(source, writable.getWriter()).run();
  return new Response(readable, { headers: eventStreamHeaders });
}

class Follower<Place> {
  readonly #source: AskedSource<Place>;
  readonly #timing: typeof askedStreamTiming;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #left = new AbortController();
  readonly #encoder = new TextEncoder();
  #newsAt: number;
  #wroteAt: number;
  #tookMs = 0;

  constructor(source: AskedSource<Place>, writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#source = source;
    this.#timing = source.timing ?? askedStreamTiming;
    this.#writer = writer;
    this.#newsAt = this.#wroteAt = source.now();
    source.signal.addEventListener('abort', () => this.#left.abort());
    const left = () => this.#left.abort();
    writer.closed.then(left, left);
  }

  async run(): Promise<void> {
    const recheck = setInterval(() => void this.#recheck(), this.#timing.recheckMs);
    try {
      await this.#follow();
      await this.#writer.close();
    } catch {
      await this.#writer.abort().catch(() => undefined); // The client is gone.
    } finally {
      clearInterval(recheck);
      this.#source.ended();
    }
  }

  async #follow(): Promise<void> {
    let { place, events } = this.#source.first;
    await this.#write(events);
    for (let question = 0; question < questionsMax && !this.#left.signal.aborted; question++) {
      await this.#pause();
      if (this.#left.signal.aborted) return;
      const news = await this.#ask(place);
      if (this.#left.signal.aborted) return;
      if (!news) break;
      ({ place, events } = news);
      await this.#tell(events);
      if (news.isLast) break;
    }
    await this.#write(statusEvent({ ok: false }));
  }

  async #ask(place: Place): Promise<News<Place> | undefined> {
    const { ask, now } = this.#source;
    const askedAt = now();
    let workMs: number | undefined;
    try {
      const news = await ask(place);
      workMs = news.workMs;
      return news;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.code === 'rate_limited' ? { events: '', place } : undefined;
    } finally {
      this.#tookMs = workMs ?? now() - askedAt;
    }
  }

  async #tell(events: string): Promise<void> {
    const now = this.#source.now();
    if (events !== '') {
      this.#newsAt = now;
      await this.#write(events);
    } else if (now - this.#wroteAt >= this.#timing.pingMs) await this.#write(pingEvent(now));
  }

  async #recheck(): Promise<void> {
    if (this.#left.signal.aborted) return;
    const isOpen = await this.#source.stillOpen().catch(() => false);
    if (!isOpen) this.#left.abort();
  }

  /** @throws Error when the client has left or reads nothing */
  async #write(text: string): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stalled = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the client does not read')), this.#timing.stalledMs);
    });
    try {
      await Promise.race([this.#writer.write(this.#encoder.encode(text)), stalled]);
    } finally {
      clearTimeout(timer);
    }
    this.#wroteAt = this.#source.now();
  }

  async #pause(): Promise<void> {
    const { quietMs, idleMs, busyMs, restFactor } = this.#timing;
    const usualMs = this.#source.now() - this.#newsAt > quietMs ? idleMs : busyMs;
    const ms = Math.max(usualMs, restFactor * this.#tookMs);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#left.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
