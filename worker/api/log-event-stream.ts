/**
 * The Server-Sent Events answer of a log. The Worker holds the client's connection and a socket to the object that owns the log,
 * and passes its bytes on; it parses nothing. (An answer served by the object itself would keep it in memory for as long as it is open.)
 */
import { endsEvent, pingEvent } from '../domain/logs/log-events.ts';
import { grantStepBytes } from '../domain/logs/log-window.ts';

export const logStreamTiming = {
  /** Proxies cut connections that are silent for about a minute. */
  pingMs: 15_000,
  /** A revoked key or a project it no longer sees ends the stream within this. */
  recheckMs: 15_000,
  /** A client that takes nothing for this long is cut; it resumes with Last-Event-ID. */
  stalledMs: 60_000,
};

export interface LogEventSource {
  /** From LogStreams.subscribe; not accepted yet. */
  socket: WebSocket;
  /** The client's request is over. */
  signal: AbortSignal;
  /** Asked every `recheckMs`: false, or an error, closes the stream. */
  stillOpen(): Promise<boolean>;
  /** Epoch milliseconds. */
  now(): number;
  /** `logStreamTiming` by default. */
  timing?: typeof logStreamTiming;
}

/** The 200 answer; its body goes on until the log or the client's permission ends, or the client leaves. */
export function logEventStream(source: LogEventSource): Response {
  // A standard stream, not an IdentityTransformStream: that one tells of a client that left only at the second write after it.
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  new LogBridge(source, writable.getWriter()).open();
  return new Response(readable, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

class LogBridge {
  readonly #source: LogEventSource;
  readonly #timing: typeof logStreamTiming;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  /** Between two events, so that a ping may be written; false until the snapshot has gone out. */
  #betweenEvents = false;
  /** Writes that the client has not taken. */
  #waiting = 0;
  /** When the client last took something, or had nothing to take. */
  #takenAt = 0;
  /** Text the client has taken and the object does not know of. */
  #ungranted = 0;
  #closed = false;

  constructor(source: LogEventSource, writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#source = source;
    this.#timing = source.timing ?? logStreamTiming;
    this.#writer = writer;
  }

  open(): void {
    const { socket, signal } = this.#source;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      if (data instanceof ArrayBuffer) this.#copy(new Uint8Array(data));
    });
    socket.addEventListener('close', () => this.#finish());
    socket.addEventListener('error', () => this.#finish());
    signal.addEventListener('abort', () => this.#cut());
    this.#writer.closed.then(
      () => this.#stop(),
      () => this.#cut(),
    );
    this.#timers.push(
      setInterval(() => this.#ping(), this.#timing.pingMs),
      setInterval(() => void this.#recheck(), this.#timing.recheckMs),
    );
    socket.accept();
    if (signal.aborted) this.#cut();
  }

  #copy(text: Uint8Array): void {
    this.#betweenEvents = endsEvent(text);
    void this.#write(text).then(() => this.#grant(text.byteLength));
  }

  async #write(text: Uint8Array): Promise<void> {
    if (this.#waiting === 0) this.#takenAt = this.#source.now();
    this.#waiting += 1;
    try {
      await this.#writer.write(text);
      this.#waiting -= 1;
      this.#takenAt = this.#source.now();
    } catch {
      this.#cut();
    }
  }

  #grant(bytes: number): void {
    this.#ungranted += bytes;
    if (this.#closed || this.#ungranted < grantStepBytes) return;
    this.#source.socket.send(String(this.#ungranted));
    this.#ungranted = 0;
  }

  #ping(): void {
    const now = this.#source.now();
    if (this.#waiting > 0) {
      if (now - this.#takenAt >= this.#timing.stalledMs) this.#cut();
    } else if (this.#betweenEvents) {
      void this.#write(new TextEncoder().encode(pingEvent(now)));
    }
  }

  async #recheck(): Promise<void> {
    const open = await this.#source.stillOpen().catch(() => false);
    if (!open) this.#waiting > 0 ? this.#cut() : this.#finish();
  }

  /** Nothing more will come: what is still on its way goes out, then the answer ends. */
  #finish(): void {
    if (this.#closed) return;
    this.#stop();
    this.#writer.close().catch(() => {
      // The client left in the last moment.
    });
  }

  /** The client is gone, or takes nothing: what is on its way is dropped. */
  #cut(): void {
    if (this.#closed) return;
    this.#stop();
    this.#writer.abort(new Error('the stream was cut')).catch(() => {
      // The client is gone already.
    });
  }

  #stop(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    try {
      this.#source.socket.close(1000);
    } catch {
      // Closed by the other side.
    }
  }
}
