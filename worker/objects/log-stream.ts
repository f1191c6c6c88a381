/**
 * The build log of one deployment. A frame goes to the readers and to disk at once, and is acknowledged then: while a call waits, its
 * caller and this object are billed. The object hibernates between frames with its readers attached, and loses nothing that was acknowledged.
 */
import { DurableObject } from 'cloudflare:workers';
import type { LogLine } from '../../protocol/frames.ts';
import type { LogEnd } from '../domain/deployment-end.ts';
import { logEntries } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import type { LogPage } from '../domain/logs/log-window.ts';
import type { Env } from '../env.ts';
import type { LogReceipt, LogStreamCalls } from '../gateways/object-calls.ts';
import { LogJournal } from './log-journal.ts';
import { LogReaders } from './log-readers.ts';
import { refusedReader, tagsOf } from './reader-places.ts';

/** Characters per answer of `read`. */
const pageChars = 256 * 1024;

export class LogStream extends DurableObject<Env> implements LogStreamCalls {
  readonly #journal: LogJournal;
  readonly #readers: LogReaders;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#journal = new LogJournal(ctx.storage.sql);
    this.#readers = new LogReaders(ctx, this.#journal);
  }

  /**
   * Stores a frame of lines, in one row unless it is very large; `first` is the id of `lines[0]`. Repeats are dropped. If lines before
   * `first` are missing, nothing is stored: continue after `through`. After the end, everything is acknowledged and dropped.
   */
  async append(first: number, lines: LogLine[], _last: boolean): Promise<LogReceipt> {
    const end = first + lines.length - 1;
    if (this.#journal.outcome) return { through: end, watched: false };
    const fresh = this.#journal.receive(first, lines, Date.now());
    this.#readers.publish(fresh ?? []);
    this.#journal.store();
    return { through: this.#journal.stored, watched: this.#readers.count > 0 };
  }

  /** A page of lines above `after`, in order. `more`: lines remain. */
  async read(after: number): Promise<{ lines: StoredLine[]; more: boolean }> {
    const lines = this.#journal.readAfter(after, pageChars);
    return { lines, more: (lines.at(-1)?.id ?? after) < this.#journal.received };
  }

  /** The same page as JSON text. */
  async readEntries(deploymentId: string, after: number, limit = Number.MAX_SAFE_INTEGER): Promise<LogPage> {
    const read = await this.read(after);
    const lines = read.lines.slice(0, limit);
    const more = read.more || lines.length < read.lines.length;
    const last = lines.at(-1)?.id ?? after;
    return { entries: logEntries(deploymentId, lines), count: lines.length, last, more };
  }

  /** See LogStreams.readTail. */
  async readTail(chars: number): Promise<StoredLine[]> {
    return this.#journal.readTail(chars);
  }

  /** See LogStreams.finish. */
  async finish(end: LogEnd): Promise<void> {
    if (this.#journal.outcome) return;
    const { line: text, ...ending } = end;
    if (text !== undefined) {
      const at = Date.now();
      const line: LogLine = { stream: 'system', at, line: text };
      this.#readers.publish(this.#journal.receive(this.#journal.received + 1, [line], at) ?? []);
    }
    this.#journal.store();
    this.#journal.end(ending);
    this.#readers.end();
  }

  /** Empties the object and closes its readers. */
  async purge(): Promise<void> {
    this.#journal.forget();
    this.#readers.drop();
    await this.ctx.storage.deleteAll();
  }

  /** `?deployment=<id>&after=<log id>&key=&max=` with a WebSocket upgrade adds a reader. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const refused = refusedReader(this.ctx, searchParams);
    if (refused) return refused;
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, tagsOf(searchParams));
    this.#readers.add(server, searchParams.get('deployment') ?? '', Number(searchParams.get('after')));
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#readers.grant(socket, message);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    // Answering the close frees the other side immediately; otherwise it takes half a minute.
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }
}
