/**
 * The build log of one deployment. A frame is sent to the readers and written to disk at once, and acknowledged after that, because its
 * caller and this object are billed while a call waits. The object hibernates between frames with its readers attached, and loses no
 * acknowledged line.
 */
import { DurableObject } from 'cloudflare:workers';
import { type HubFrame, type LogLine, protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import { createDependencies } from '../context.ts';
import { logEntries } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import {
  fateOfLog,
  firstLogCheckMs,
  type LogAge,
  removedLogLine,
  repeatedLogCheckMs,
  retriedArchiveMs,
} from '../domain/logs/log-retention.ts';
import type { LogPage } from '../domain/logs/log-window.ts';
import type { Env } from '../env.ts';
import type { LogEnd, LogFinish, LogReceipt, LogStreamCalls } from '../gateways/object-calls.ts';
import { readLogAge } from '../store/logs/log-retention-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { DayBudget, messageRequests } from './day-budget.ts';
import { KeptLog } from './kept-log.ts';
import { LogJournal } from './log-journal.ts';
import { LogReaders } from './log-readers.ts';
import { LogWriters } from './log-writers.ts';
import { readersOf, refusedReader, tagsOf } from './reader-places.ts';

/** Key under which an ended log stores its deployment's id: an object does not know its own name. */
const deploymentKey = 'deployment';

/** Characters per answer of `read`. */
const pageChars = 256 * 1024;

export class LogStream extends DurableObject<Env> implements LogStreamCalls {
  /** Replaced by tests. */
  protected deps: () => Pick<Dependencies, 'db' | 'blobs' | 'now'> = () => createDependencies(this.env);
  readonly #journal: LogJournal;
  readonly #readers: LogReaders;
  readonly #writers: LogWriters;
  readonly #budget: DayBudget;
  readonly #kept: KeptLog;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#journal = new LogJournal(ctx.storage.sql);
    this.#readers = new LogReaders(ctx, this.#journal);
    this.#writers = new LogWriters(ctx, () => this.deps().now());
    this.#kept = new KeptLog(ctx.storage, this.#journal, () => this.deps());
    this.#budget = new DayBudget(
      ctx,
      () => this.deps(),
      (paceMs) => this.#readers.tellPace(paceMs),
    );
  }

  /**
   * Stores a frame of lines, in one row unless it is very large; `first` is the id of `lines[0]`. Repeats are discarded. If lines
   * before `first` are missing, nothing is stored: continue after `through`. After the end, everything is acknowledged and discarded.
   */
  async append(first: number, lines: LogLine[]): Promise<LogReceipt> {
    this.#budget.count(1 + messageRequests); // The hub received a message for this call.
    return this.#append(first, lines);
  }

  #append(first: number, lines: LogLine[]): LogReceipt {
    const end = first + lines.length - 1;
    if (this.#journal.outcome) return { through: end, watched: false };
    const fresh = this.#journal.receive(first, lines, Date.now());
    this.#readers.publish(fresh ?? []);
    this.#journal.store();
    this.#readers.tellPace(this.#budget.paceMs);
    return { through: this.#journal.stored, watched: this.#readers.count > 0, ...this.#budget.answer };
  }

  /** A page of lines above `after`, in order. `more`: whether lines remain. */
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
  async finish(end: LogEnd): Promise<LogFinish> {
    if (this.#journal.outcome) return {};
    const { line, lineIfEmpty = line, deploymentId, ...ending } = end;
    const isRemoved = this.#journal.received === 0 && lineIfEmpty === removedLogLine;
    const archived = isRemoved && deploymentId !== undefined ? await this.#fromArchive(deploymentId) : {};
    if (archived.trouble !== undefined || this.#journal.outcome) return archived;
    if (!archived.isRestored) this.#add(this.#journal.received === 0 ? lineIfEmpty : line);
    this.#journal.store();
    this.#journal.end(ending);
    this.#readers.end();
    this.#writers.closeAll();
    this.#compress();
    if (deploymentId === undefined) return {};
    this.ctx.storage.kv.put(deploymentKey, deploymentId);
    await this.ctx.storage.setAlarm(Date.now() + firstLogCheckMs);
    await this.#kept.count(deploymentId);
    return {};
  }

  /** Adds a line of the control plane, if given. */
  #add(line: string | undefined): void {
    if (line === undefined) return;
    const at = Date.now();
    const said: LogLine = { stream: 'system', at, line };
    this.#readers.publish(this.#journal.receive(this.#journal.received + 1, [said], at) ?? []);
  }

  async #fromArchive(deploymentId: string): Promise<LogFinish & { isRestored?: boolean }> {
    try {
      return { isRestored: await this.#kept.restore(deploymentId) };
    } catch (error) {
      console.error(`The archived log of ${deploymentId} could not be read:`, error);
      return { trouble: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Removes the lines when they are older than the setting `logDays`, unless their version is among those that keep their log. */
  override async alarm(): Promise<void> {
    const { db, now } = this.deps();
    const deploymentId = String(this.ctx.storage.kv.get(deploymentKey));
    const age = await readLogAge(db, deploymentId).catch((error: unknown) => {
      console.error(`The age of the log of ${deploymentId} could not be read:`, error);
      return null;
    });
    const next = age === null ? now() + repeatedLogCheckMs : fateOfLog(age, now());
    if (next === 'remove' && age) return this.#leave(deploymentId, age);
    await this.#kept.count(deploymentId);
    await this.ctx.storage.setAlarm(next === 'remove' ? now() + repeatedLogCheckMs : next);
  }

  /** Removes the lines, after archiving them if that is wanted. If the bucket fails, they remain until it works. */
  async #leave(deploymentId: string, age: LogAge): Promise<void> {
    try {
      await this.#kept.leave(deploymentId, age);
    } catch (error) {
      console.error(`The log of ${deploymentId} could not be archived:`, error);
      return this.ctx.storage.setAlarm(this.deps().now() + retriedArchiveMs);
    }
    await this.#empty(false);
  }

  /** See WrittenLog in gateways/object-calls. */
  async closeWriters(runnerId: string): Promise<void> {
    this.#writers.closeAll(runnerId);
  }

  /** Empties the object and closes its sockets. */
  async purge(): Promise<void> {
    await this.#empty(true);
  }

  /** An uncompressed log is only larger: ending the log must not fail because of this, since nothing would set the alarm later. */
  #compress(): void {
    try {
      this.#journal.compress(this.ctx.storage);
    } catch (error) {
      console.error('An ended log could not be compressed:', error);
    }
  }

  async #empty(closed: boolean): Promise<void> {
    this.#journal.forget(closed);
    this.#readers.drop();
    this.#writers.closeAll();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** `?deployment=<id>&after=<log id>&key=&max=` with a WebSocket upgrade adds a reader; with a writer's header, it adds the log's host. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const answer = this.#writers.open(request) ?? refusedReader(this.ctx, searchParams);
    if (answer) return answer;
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, tagsOf(searchParams));
    this.#readers.add(server, searchParams.get('deployment') ?? '', Number(searchParams.get('after')));
    this.#budget.count(1);
    this.#budget.look();
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#budget.count(messageRequests);
    if (!this.#writers.has(socket)) return this.#readers.grant(socket, message);
    this.#writers.take(socket, message, (_, frame) => this.#takeFrame(frame));
  }

  #takeFrame(frame: RunnerFrame): HubFrame | null {
    if (frame.type !== 'logs') return null;
    const { job, first, lines } = frame;
    return { v: protocolVersion, type: 'log-ack', job, ...this.#append(first, lines) };
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    // Answering the close frees the other side immediately; otherwise it takes half a minute.
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
    // Without readers, the host stops sending every 250 ms, and its socket is closed.
    if (readersOf(this.ctx).every((other) => other === socket)) this.#writers.closeAll();
  }
}
