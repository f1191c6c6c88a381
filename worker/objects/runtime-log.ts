/**
 * The log of a service's running container, for current readers. Lines are stored on the host. They are sent only while there are
 * readers, once for all readers, and kept here only in memory. For the first reader the host sends the last lines; later readers get them
 * from here.
 *
 *   reader's Worker              RuntimeLog                RunnerHub             runner
 *     -- WebSocket ---------------> -- tail ---------------> -- tail ------------> follows the container
 *     <- snapshot, log ------------ <- publish ------------- <- runtime-logs -----
 *                                   -- watched? -----------> -- tail-ack --------> continues, or stops
 *
 * The hub's `tail` carries a ticket. With it the runner opens a socket directly to this object (LogWriters) for the same frames. A reader
 * that falls behind gets the lines that are still available, and a line that reports lost ones.
 */
import { DurableObject } from 'cloudflare:workers';
import {
  type HubFrame,
  protocolVersion,
  type RunnerFrameOf,
  type RuntimeLine,
} from '../../protocol/frames.ts';
import { createDependencies } from '../context.ts';
import { movedLine } from '../domain/logs/log-events.ts';
import { RecentLines } from '../domain/logs/recent-lines.ts';
import type { Env } from '../env.ts';
import type { RuntimeLogCalls } from '../gateways/object-calls.ts';
import { DayBudget, messageRequests } from './day-budget.ts';
import { LogWriters } from './log-writers.ts';
import { readersOf, refusedReader, tagsOf } from './reader-places.ts';
import {
  closeSocket,
  type EndReason,
  type RuntimeReader,
  RuntimeReaders,
  snapshotLines,
} from './runtime-readers.ts';

const pastLimitMs = 10_000; // The host only reads a few hundred lines from disk.
const closedNormally = 1000;
/**
 * Ids are times of the host's clock. A reader never moves back, so one line from next year would hide all lines until then: lines
 * further ahead are discarded. A day is far more than the difference between correct clocks.
 */
const aheadMaxMs = 24 * 3_600_000;

const ends = {
  away: {
    code: 'runner_offline',
    error: 'The host is not connected any more, so its log ends here. Read it again when the host is back.',
  },
  unanswered: { code: 'timeout', error: 'The host did not send the log in time: try again.' },
  moved: { code: 'moved', error: 'The service is on another host now: read its log again.' },
} as const satisfies Record<string, EndReason>;

type Part = RunnerFrameOf<'runtime-logs'>['part'];

export class RuntimeLog extends DurableObject<Env> implements RuntimeLogCalls {
  #recent = new RecentLines();
  /** The host whose lines are in memory. */
  #runnerId: string | null = null;
  /** Whether the host has sent its last lines, so that snapshots are created from memory. */
  #hasPast = false;
  #pastLimit: ReturnType<typeof setTimeout> | null = null;
  /** The pending request to the hub. */
  #asking: Promise<boolean> | null = null;
  readonly #readers: RuntimeReaders;
  readonly #writers: LogWriters;
  readonly #budget: DayBudget;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const deps = createDependencies(env);
    this.#readers = new RuntimeReaders(ctx, () => this.#recent);
    this.#writers = new LogWriters(ctx, Date.now);
    const paced = (paceMs: number) => this.#readers.tellPace(paceMs);
    this.#budget = new DayBudget(ctx, () => deps, paced);
  }

  /** `?service=&runner=&after=&key=&max=` with a WebSocket upgrade adds a reader. 503 if the host is not connected. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const answer = this.#writers.open(request) ?? refusedReader(this.ctx, searchParams);
    if (answer) return answer;
    const { 0: client, 1: server } = new WebSocketPair();
    this.#follow(searchParams.get('runner') ?? '');
    this.ctx.acceptWebSocket(server, tagsOf(searchParams));
    const reader = this.#readers.add(server, searchParams);
    this.#budget.count(1);
    this.#budget.look();
    if (!(await this.#join(reader))) {
      closeSocket(server);
      return new Response(null, { status: 503 });
    }
    if (this.#hasPast) this.#readers.begin();
    else this.#pastLimit ??= setTimeout(() => this.#endAll(ends.unanswered), pastLimitMs);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** See RuntimeLogCalls. */
  async publish(runnerId: string, part: Part, lines: RuntimeLine[]): Promise<{ watched: boolean }> {
    this.#budget.count(1 + messageRequests); // The hub received a message for this call.
    return { watched: this.#publish(runnerId, part, lines), ...this.#budget.answer };
  }

  /** @returns whether there are still readers; false for a host that was not asked for lines, which are discarded */
  #publish(runnerId: string, part: Part, lines: RuntimeLine[]): boolean {
    if (!this.#readers.all.some((reader) => reader.runnerId === runnerId)) return false;
    const latest = (Date.now() + aheadMaxMs) * 1000;
    this.#recent.add(lines.filter(({ id }) => id <= latest));
    if (part === 'past') this.#pastIsHere();
    this.#readers.publish();
    this.#readers.tellPace(this.#budget.paceMs);
    return this.#readers.all.length > 0;
  }

  /** Ensures that the host still follows the container: after a restart of its runner or the hub, only this object knows the readers. */
  async keepFollowing(): Promise<void> {
    this.#budget.count(1);
    const [reader] = this.#readers.all;
    if (!reader) return;
    const { runnerId, serviceId } = reader;
    const tail = { v: protocolVersion, type: 'tail', serviceId, ...this.#lacking() } as const;
    if (this.#writers.send(runnerId, tail)) return;
    if (!(await this.#tail(reader))) this.#endAll(ends.away);
  }

  /** See RuntimeLogCalls. */
  async moveTo(runnerId: string): Promise<void> {
    this.#budget.count(1);
    if (this.#readers.all.every((reader) => reader.runnerId === runnerId)) return;
    this.#readers.tell(movedLine);
    this.#endAll(ends.moved);
  }

  async closeWriters(runnerId: string): Promise<void> {
    this.#writers.closeAll(runnerId);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#budget.count(messageRequests);
    if (this.#writers.has(socket)) this.#takeFrame(socket, message);
    else this.#readers.grant(socket, message);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    closeSocket(socket, code === 1005 || code === 1006 ? closedNormally : code);
    if (readersOf(this.ctx).some((other) => other !== socket)) return;
    this.#writers.closeAll();
    this.#stopWaiting(); // Lines that the host still sends for the last reader are discarded.
  }

  #takeFrame(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#writers.take(socket, message, ({ runnerId }, frame) => {
      if (frame.type !== 'runtime-logs') return null;
      const { serviceId, part, lines } = frame;
      const watched = this.#publish(runnerId, part, lines);
      // A runner counts the answers to its live frames.
      return part === 'past' && watched ? null : { ...tailAck(serviceId, watched), ...this.#budget.answer };
    });
  }

  /** The service may have moved since: the lines of its old host are removed, and readers of that host reconnect. */
  #follow(runnerId: string): void {
    if (this.#readers.all.some((reader) => reader.runnerId !== runnerId)) this.#endAll(ends.moved);
    if (this.#runnerId !== runnerId) {
      this.#asking = null;
      this.#recent = new RecentLines();
      this.#hasPast = false;
    }
    this.#runnerId = runnerId;
  }

  /**
   * Readers that arrive at the same time share one request to the host: 400 requests took a busy machine half a minute, in which nobody
   * else was served. @returns false if the host is not connected
   */
  #join(reader: RuntimeReader): boolean | Promise<boolean> {
    const { runnerId, serviceId } = reader;
    if (this.#pastLimit !== null) return true; // The host was asked, and has not answered yet.
    const tail = { v: protocolVersion, type: 'tail', serviceId, ...this.#lacking() } as const;
    if (this.#hasPast && this.#writers.send(runnerId, tail)) return true;
    this.#asking ??= this.#tail(reader).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  #tail({ runnerId, serviceId }: RuntimeReader): Promise<boolean> {
    const hub = this.env.RUNNER_HUB.get(this.env.RUNNER_HUB.idFromName(runnerId));
    return hub.followContainer(serviceId, this.#lacking());
  }

  /** The part of the past that the host should send. */
  #lacking(): { after: number; lines: number } {
    return this.#hasPast ? { after: this.#recent.last, lines: 0 } : { after: 0, lines: snapshotLines };
  }

  #stopWaiting(): void {
    clearTimeout(this.#pastLimit);
    this.#pastLimit = null;
  }

  #pastIsHere(): void {
    this.#stopWaiting();
    this.#hasPast = true;
    this.#readers.begin();
  }

  /** Ends the stream for all readers, who may open it again. */
  #endAll(reason: EndReason): void {
    this.#writers.closeAll();
    this.#hasPast = false;
    this.#stopWaiting();
    this.#readers.end(reason);
  }
}

function tailAck(serviceId: string, watched: boolean): HubFrame {
  return { v: protocolVersion, type: 'tail-ack', serviceId, watched };
}
