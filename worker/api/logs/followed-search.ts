/**
 * The Server-Sent Events response of a followed search. The host is asked again and again for what was kept since the last answer: nothing is
 * pushed, and nothing runs on the host or in an object between two questions.
 */
import { ApiError } from '../../domain/errors.ts';
import { linesEvent } from '../../domain/logs/followed-log-events.ts';
import type { LogPositions } from '../../domain/logs/log-cursor.ts';
import { pingEvent, statusEvent } from '../../domain/logs/log-events.ts';
import type { FoundLines } from '../../usecases/logs/search-logs.ts';
import { eventStreamHeaders } from './log-event-stream.ts';

export const followTiming = {
  /** Between two questions while lines come. */
  busyMs: 1_000,
  /** Between two questions when none came for `quietMs`. */
  idleMs: 4_000,
  quietMs: 30_000,
  pingMs: 15_000,
  /** The key is checked again after this time. */
  recheckMs: 60_000,
  /** A client that reads nothing for this long is disconnected; it can resume with Last-Event-ID. */
  stalledMs: 60_000,
};

/** An invocation may make 1,000 calls to objects; then the client opens the stream again. */
const questionsMax = 800;

export interface FollowedSearch {
  /** What the stream begins with. */
  first: { lines: FoundLines['lines']; next: LogPositions };
  /** The lines after these places, oldest first. */
  search(from: LogPositions): Promise<FoundLines>;
  /** Aborts when the client's request ends. */
  signal: AbortSignal;
  /** Whether the key still sees the services. */
  stillOpen(): Promise<boolean>;
  /** Epoch milliseconds. */
  now(): number;
  /** The stream has ended. */
  ended(): void;
  timing?: typeof followTiming;
}

/** Answers 200 with a body that continues until the client leaves, loses access, or the host can't be asked. */
export function followedSearch(source: FollowedSearch): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void new Follower(source, writable.getWriter()).run();
  return new Response(readable, { headers: eventStreamHeaders });
}

class Follower {
  readonly #source: FollowedSearch;
  readonly #timing: typeof followTiming;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #left = new AbortController();
  readonly #encoder = new TextEncoder();
  #linesAt: number;
  #wroteAt: number;
  #checkedAt: number;

  constructor(source: FollowedSearch, writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#source = source;
    this.#timing = source.timing ?? followTiming;
    this.#writer = writer;
    this.#linesAt = this.#wroteAt = this.#checkedAt = source.now();
    source.signal.addEventListener('abort', () => this.#left.abort());
    const left = () => this.#left.abort();
    writer.closed.then(left, left);
  }

  async run(): Promise<void> {
    try {
      await this.#follow();
      await this.#writer.close();
    } catch {
      await this.#writer.abort().catch(() => undefined); // The client is gone.
    } finally {
      this.#source.ended();
    }
  }

  async #follow(): Promise<void> {
    const { first, search } = this.#source;
    let { next } = first;
    await this.#write(linesEvent(first.lines, next));
    for (let question = 0; question < questionsMax && !this.#left.signal.aborted; question++) {
      await this.#pause();
      if (this.#left.signal.aborted || !(await this.#isOpen())) return;
      const page = await search(next).catch((error: unknown) => {
        if (error instanceof ApiError) return undefined;
        throw error;
      });
      if (!page) break; // The client opens the stream again and gets the reason.
      next = page.next;
      await this.#tell(page);
    }
    await this.#write(statusEvent({ ok: false }));
  }

  async #tell({ lines, next }: FoundLines): Promise<void> {
    const now = this.#source.now();
    if (lines.length > 0) {
      this.#linesAt = now;
      await this.#write(linesEvent(lines, next));
    } else if (now - this.#wroteAt >= this.#timing.pingMs) await this.#write(pingEvent(now));
  }

  async #isOpen(): Promise<boolean> {
    const { now, stillOpen } = this.#source;
    if (now() - this.#checkedAt < this.#timing.recheckMs) return true;
    this.#checkedAt = now();
    return await stillOpen().catch(() => false);
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
    const { quietMs, idleMs, busyMs } = this.#timing;
    const ms = this.#source.now() - this.#linesAt > quietMs ? idleMs : busyMs;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#left.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
