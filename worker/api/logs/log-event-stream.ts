/**
 * The Server-Sent Events response of a log. The Worker holds the client's connection and a socket to the object that owns the log,
 * and copies bytes without parsing them. (A response served by the object itself would keep the object in memory while it is open.)
 */
import { endsEvent, pingEvent } from '../../domain/logs/log-events.ts';
import { grantStepBytes } from '../../domain/logs/log-window.ts';

export const logStreamTiming = {
  /** Proxies cut connections that stay silent for about a minute. */
  pingMs: 15_000,
  /**
   * A stream ends within this time after its key is revoked or loses access to the project. Each check reads D1 in the invocation of the
   * stream, which has 10 ms of processor time on the free plan.
   */
  recheckMs: 60_000,
  /** A host stops sending a runtime log that is not requested again within 60 s (runner/runtime-logs/runtime-tail). */
  keepUpMs: 15_000,
  /** A client that reads nothing for this long is disconnected; it can resume with Last-Event-ID. */
  stalledMs: 60_000,
};

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export interface LogEventSource {
  /** The socket from LogStreams.subscribe, not accepted yet. */
  socket: WebSocket;
  /** Aborts when the client's request ends. */
  signal: AbortSignal;
  /** Called every `recheckMs`; the stream closes when it answers false or throws. */
  stillOpen(): Promise<boolean>;
  /** Called every `keepUpMs`; a failure is repeated the next time. */
  keepUp?(): Promise<void>;
  /** Epoch milliseconds. */
  now(): number;
  /** `logStreamTiming` by default. */
  timing?: typeof logStreamTiming;
}

/** Answers 200 with a body that continues until the log ends, the client loses access or the client disconnects. */
export function logEventStream(source: LogEventSource): Response {
  // A standard stream: an IdentityTransformStream reports a disconnected client only at the second write after it left.
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  new LogBridge(source, writable.getWriter()).open();
  return new Response(readable, { headers: eventStreamHeaders });
}

class LogBridge {
  readonly #source: LogEventSource;
  readonly #timing: typeof logStreamTiming;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  /** Whether a ping may be written: true between two events, false until the snapshot is sent. */
  #betweenEvents = false;
  /** Writes that the client has not read yet. */
  #waiting = 0;
  /** Epoch milliseconds at which the client last read something or had nothing to read. */
  #takenAt = 0;
  /** Bytes that the client has read and that were not yet reported to the object. */
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
    const { keepUp } = this.#source;
    if (keepUp) this.#timers.push(setInterval(() => void keepUp().catch(logFailure), this.#timing.keepUpMs));
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

  /** Sends what is queued, then ends the response. */
  #finish(): void {
    if (this.#closed) return;
    this.#stop();
    this.#writer.close().catch(() => {
      // The client disconnected at the same moment.
    });
  }

  /** Discards queued text: the client has disconnected or stopped reading. */
  #cut(): void {
    if (this.#closed) return;
    this.#stop();
    this.#writer.abort(new Error('the stream was cut')).catch(() => {
      // The client has already disconnected.
    });
  }

  #stop(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    try {
      this.#source.socket.close(1000);
    } catch {
      // The other side closed it.
    }
  }
}

function logFailure(error: unknown): void {
  console.error('A log could not be kept up:', error);
}
