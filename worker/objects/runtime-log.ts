/**
 * The log of a service's running container, for current readers. Lines stay on the host; they are sent only while there are readers, once
 * for all of them, and kept here only in memory. For the first reader the host sends the last lines; later readers get them from here.
 *
 *   reader's Worker              RuntimeLog                RunnerHub             runner
 *     -- WebSocket ---------------> -- tail ---------------> -- tail ------------> follows the container
 *     <- snapshot, log ------------ <- publish ------------- <- runtime-logs -----
 *                                   -- watched? -----------> -- tail-ack --------> continues, or stops
 *
 * The hub's `tail` carries a ticket. With it the runner opens a socket straight to this object (LogWriters) for the same frames.
 * A reader that falls behind gets what is still available, and a line that says if some was lost.
 */
import { DurableObject } from 'cloudflare:workers';
import {
  type HubFrame,
  protocolVersion,
  type RunnerFrameOf,
  type RuntimeLine,
} from '../../protocol/frames.ts';
import { statusEvent } from '../domain/logs/log-events.ts';
import { readWindowBytes, withGrant } from '../domain/logs/log-window.ts';
import { RecentLines } from '../domain/logs/recent-lines.ts';
import { runtimeEvents, runtimeSnapshot } from '../domain/logs/runtime-log-events.ts';
import type { Env } from '../env.ts';
import type { RuntimeLogCalls } from '../gateways/object-calls.ts';
import { LogWriters } from './log-writers.ts';
import { readersOf, refusedReader, tagsOf } from './reader-places.ts';

/** Lines of the snapshot that a stream starts with. */
const snapshotLines = 200;
/** Lines per message, so that one piece does not exceed a window by much. */
const pieceLines = 100;
const pastLimitMs = 10_000; // The host only reads a few hundred lines from disk.
const closedNormally = 1000;
/**
 * Ids are times of the host's clock. A reader never goes back, so one line from next year would hide all lines until then: what is
 * further ahead is dropped. A day is far more than the difference of clocks that are set.
 */
const aheadMaxMs = 24 * 3_600_000;

const encoder = new TextEncoder();

/** A reader's position, kept in its socket's attachment so that it survives the object's hibernation. */
interface Reader {
  runnerId: string;
  serviceId: string;
  /** Id of the last line that it was sent, or already had. */
  sent: number;
  /** Whether it has had its snapshot. */
  live: boolean;
  /** Bytes that may still be sent to it. */
  credit: number;
}

type Part = RunnerFrameOf<'runtime-logs'>['part'];

export class RuntimeLog extends DurableObject<Env> implements RuntimeLogCalls {
  #recent = new RecentLines();
  /** The host whose lines are in memory. */
  #runnerId: string | null = null;
  /** Whether the host has sent its last lines, so that snapshots come from memory. */
  #hasPast = false;
  #pastLimit: ReturnType<typeof setTimeout> | null = null;
  readonly #writers: LogWriters;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#writers = new LogWriters(ctx, Date.now);
  }

  /** `?service=&runner=&after=&key=&max=` with a WebSocket upgrade adds a reader. 503 if the host is not connected. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const answer = this.#writers.open(request) ?? refusedReader(this.ctx, searchParams);
    if (answer) return answer;
    const { 0: client, 1: server } = new WebSocketPair();
    const reader: Reader = {
      runnerId: searchParams.get('runner') ?? '',
      serviceId: searchParams.get('service') ?? '',
      sent: Number(searchParams.get('after')),
      live: false,
      credit: readWindowBytes,
    };
    this.#follow(reader.runnerId);
    this.ctx.acceptWebSocket(server, tagsOf(searchParams));
    server.serializeAttachment(reader);
    if (!(await this.#tail(reader))) {
      close(server);
      return new Response(null, { status: 503 });
    }
    if (this.#hasPast) this.#snapshot(server);
    else this.#pastLimit ??= setTimeout(() => this.#endAll(), pastLimitMs);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** See RuntimeLogCalls. */
  async publish(runnerId: string, part: Part, lines: RuntimeLine[]): Promise<{ watched: boolean }> {
    return { watched: this.#publish(runnerId, part, lines) };
  }

  /** @returns whether there are still readers; false for a host that was not asked for lines: they are dropped */
  #publish(runnerId: string, part: Part, lines: RuntimeLine[]): boolean {
    const isAsked = readersOf(this.ctx).some((socket) => readerOf(socket).runnerId === runnerId);
    if (!isAsked) return false;
    const latest = (Date.now() + aheadMaxMs) * 1000;
    this.#recent.add(lines.filter(({ id }) => id <= latest));
    if (part === 'past') this.#pastIsHere();
    for (const socket of readersOf(this.ctx)) this.#sendAhead(socket);
    return readersOf(this.ctx).length > 0;
  }

  /** Makes sure that the host still follows the container: after a restart of its runner or the hub, only this object remembers. */
  async keepFollowing(): Promise<void> {
    const [socket] = readersOf(this.ctx);
    if (!socket) return;
    const { runnerId, serviceId } = readerOf(socket);
    const tail = { v: protocolVersion, type: 'tail', serviceId, ...this.#lacking() } as const;
    if (this.#writers.send(runnerId, tail)) return;
    if (!(await this.#tail(readerOf(socket)))) this.#endAll();
  }

  async closeWriters(runnerId: string): Promise<void> {
    this.#writers.closeAll(runnerId);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (this.#writers.has(socket)) return this.#takeFrame(socket, message);
    const reader = readerOf(socket);
    const credit = withGrant(reader.credit, message);
    if (credit === null) return;
    socket.serializeAttachment({ ...reader, credit });
    this.#sendAhead(socket);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    close(socket, code === 1005 || code === 1006 ? closedNormally : code);
    if (readersOf(this.ctx).every((other) => other === socket)) this.#writers.closeAll();
  }

  #takeFrame(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#writers.take(socket, message, ({ runnerId }, frame) => {
      if (frame.type !== 'runtime-logs') return null;
      const { serviceId, part, lines } = frame;
      const watched = this.#publish(runnerId, part, lines);
      // A runner counts the answers to its live frames.
      return part === 'past' && watched ? null : tailAck(serviceId, watched);
    });
  }

  /** The service may have moved since: the lines of its old host are forgotten, and readers of that host reconnect. */
  #follow(runnerId: string): void {
    const isOther = (socket: WebSocket) => readerOf(socket).runnerId !== runnerId;
    if (readersOf(this.ctx).some(isOther)) this.#endAll();
    if (this.#runnerId !== runnerId) {
      this.#recent = new RecentLines();
      this.#hasPast = false;
    }
    this.#runnerId = runnerId;
  }

  #tail({ runnerId, serviceId }: Reader): Promise<boolean> {
    const hub = this.env.RUNNER_HUB.get(this.env.RUNNER_HUB.idFromName(runnerId));
    return hub.followContainer(serviceId, this.#lacking());
  }

  /** The part of the past that the host should send. */
  #lacking(): { after: number; lines: number } {
    return this.#hasPast ? { after: this.#recent.last, lines: 0 } : { after: 0, lines: snapshotLines };
  }

  #pastIsHere(): void {
    clearTimeout(this.#pastLimit);
    this.#pastLimit = null;
    this.#hasPast = true;
    for (const socket of readersOf(this.ctx)) if (!readerOf(socket).live) this.#snapshot(socket);
  }

  #snapshot(socket: WebSocket): void {
    const reader = readerOf(socket);
    const lines = this.#recent.after(reader.sent).lines.slice(-snapshotLines);
    const sent = lines.at(-1)?.id ?? reader.sent;
    this.#send(socket, { ...reader, live: true, sent }, runtimeSnapshot(lines));
  }

  /** Sends unsent lines, as far as the reader's window allows. */
  #sendAhead(socket: WebSocket): void {
    for (;;) {
      const reader = readerOf(socket);
      if (!reader.live || reader.credit <= 0) return;
      const { lines, isComplete } = this.#recent.after(reader.sent);
      const piece = lines.slice(0, pieceLines);
      const last = piece.at(-1);
      if (!last) return;
      const shown = isComplete || reader.sent === 0 ? piece : [gapLine(piece), ...piece];
      if (!this.#send(socket, { ...reader, sent: last.id }, runtimeEvents(shown))) return;
    }
  }

  #send(socket: WebSocket, reader: Reader, text: string): boolean {
    const bytes = encoder.encode(text);
    try {
      socket.send(bytes);
      socket.serializeAttachment({ ...reader, credit: reader.credit - bytes.byteLength });
      return true;
    } catch {
      close(socket);
      return false;
    }
  }

  /** Ends the stream for all readers; when the clients reconnect, they get the reason. */
  #endAll(): void {
    this.#writers.closeAll();
    this.#hasPast = false;
    clearTimeout(this.#pastLimit);
    this.#pastLimit = null;
    for (const socket of readersOf(this.ctx)) {
      const reader = readerOf(socket);
      this.#send(socket, reader, `${reader.live ? '' : runtimeSnapshot([])}${statusEvent({ ok: false })}`);
      close(socket);
    }
  }
}

function gapLine(piece: readonly RuntimeLine[]): RuntimeLine {
  return {
    id: (piece[0]?.id ?? 1) - 1,
    stream: 'system',
    line: 'Some lines are missing here because this reader is slower than the log.',
  };
}

/** Only this file writes the attachment, so its shape is trusted. */
function readerOf(socket: WebSocket): Reader {
  return socket.deserializeAttachment();
}

function close(socket: WebSocket, code = closedNormally): void {
  try {
    socket.close(code);
  } catch {
    // Already closed.
  }
}

function tailAck(serviceId: string, watched: boolean): HubFrame {
  return { v: protocolVersion, type: 'tail-ack', serviceId, watched };
}
