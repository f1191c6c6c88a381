/**
 * Sockets on which a host sends lines directly to a log's object. A message costs a twentieth of a call, and the hub can hibernate. The
 * writer is stored in the socket's attachment, from a verified ticket; frames must match it.
 */
import {
  type HubFrame,
  parseRunnerFrame,
  pingText,
  pongText,
  type RunnerFrame,
} from '../../protocol/frames.ts';
import { type LogWriter, logWriterOf } from '../domain/logs/log-writer.ts';
import { readersOf, writerTag } from './reader-places.ts';
import { silenceLimitMs } from './runner-sockets.ts';

const closedNormally = 1000;
const internalError = 1011;

/** @returns the answer; null if the frame is not acknowledged */
type Take = (writer: LogWriter, frame: RunnerFrame) => HubFrame | null;

interface Attached {
  writer: LogWriter;
  acceptedAt: number;
}

export class LogWriters {
  readonly #ctx: DurableObjectState;
  readonly #now: () => number;

  constructor(ctx: DurableObjectState, now: () => number) {
    this.#ctx = ctx;
    this.#now = now;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(pingText, pongText));
  }

  /**
   * Answers the upgrade of a writer, whose socket replaces an older one of the log.
   * @returns null if the upgrade is a reader's
   */
  open(request: Request): Response | null {
    const writer = logWriterOf(request);
    if (!writer) return null;
    if (readersOf(this.#ctx).length === 0) return new Response('nobody reads', { status: 409 });
    const others = this.#ctx.getWebSockets(writerTag);
    if (others.some((socket) => epochOf(attachedTo(socket)) > epochOf({ writer })))
      return new Response('a later attempt writes', { status: 409 });
    for (const socket of others) close(socket);
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [writerTag]);
    server.serializeAttachment({ writer, acceptedAt: this.#now() } satisfies Attached);
    return new Response(null, { status: 101, webSocket: client });
  }

  has(socket: WebSocket): boolean {
    return this.#ctx.getTags(socket).includes(writerTag);
  }

  /** Handles a writer's message. If it can't be stored, the socket is closed: the host sends its lines again, through its hub. */
  take(socket: WebSocket, message: string | ArrayBuffer, take: Take): void {
    const writer = attachedTo(socket)?.writer;
    if (!writer) return;
    const parsed = parseRunnerFrame(typeof message === 'string' ? message : '');
    if (this.#now() > writer.until) close(socket);
    else if (!parsed.ok) console.warn(`A frame of a log was dropped: ${parsed.reason}`);
    else if (!isAbout(writer, parsed.frame)) console.warn('A frame of another log was dropped.');
    else this.#answer(socket, () => take(writer, parsed.frame));
  }

  #answer(socket: WebSocket, take: () => HubFrame | null): void {
    try {
      const answer = take();
      if (answer !== null) socket.send(JSON.stringify(answer));
    } catch (error) {
      console.error('Lines of a log could not be taken:', error);
      close(socket, internalError);
    }
  }

  /** Sends to the host. @returns false if the host has no socket, or sent no recent ping */
  send(runnerId: string, frame: HubFrame): boolean {
    const sockets = this.#ctx.getWebSockets(writerTag);
    const socket = sockets.find((one) => attachedTo(one)?.writer.runnerId === runnerId && this.#isAlive(one));
    if (!socket) return false;
    try {
      socket.send(JSON.stringify(frame));
      return true;
    } catch {
      return false;
    }
  }

  /** @param runnerId closes only the sockets of this host */
  closeAll(runnerId?: string): void {
    for (const socket of this.#ctx.getWebSockets(writerTag)) {
      if (runnerId === undefined || attachedTo(socket)?.writer.runnerId === runnerId) close(socket);
    }
  }

  #isAlive(socket: WebSocket): boolean {
    const attached = attachedTo(socket);
    if (!attached) return false;
    const answered = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return this.#now() - Math.max(answered, attached.acceptedAt) <= silenceLimitMs;
  }
}

function isAbout({ log }: LogWriter, frame: RunnerFrame): boolean {
  if (log.kind === 'service') return frame.type === 'runtime-logs' && frame.serviceId === log.id;
  return frame.type === 'logs' && frame.job === log.job && frame.epoch === log.epoch;
}

function epochOf(attached: Pick<Attached, 'writer'> | null): number {
  return attached?.writer.log.kind === 'job' ? attached.writer.log.epoch : 0;
}

/** Only this file writes the attachments of writers, so their shape is trusted. Null if the socket was given up. */
const attachedTo = (socket: WebSocket): Attached | null => socket.deserializeAttachment();

/** No further message of the socket is handled, whenever its close event arrives. */
function close(socket: WebSocket, code = closedNormally): void {
  socket.serializeAttachment(null);
  try {
    socket.close(code);
  } catch {
    // Already closed.
  }
}
