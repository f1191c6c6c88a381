/**
 * The subscribers of one runtime log: hibernatable sockets that receive finished Server-Sent Events text, as far as each reader's window
 * allows. A reader that falls behind gets the lines that are still in memory, and a line that reports lost ones.
 */
import type { RuntimeLine } from '../../protocol/frames.ts';
import { paceEvent, runtimeEvents, runtimeSnapshot, statusEvent } from '../domain/logs/log-events.ts';
import { normalPaceMs } from '../domain/logs/log-pace.ts';
import { readWindowBytes, withGrant } from '../domain/logs/log-window.ts';
import type { RecentLines } from '../domain/logs/recent-lines.ts';
import { readersOf } from './reader-places.ts';

/** Lines of the snapshot at the start of a stream. */
export const snapshotLines = 200;
/** Lines per message, so that one piece does not exceed a window by much. */
const pieceLines = 100;
const closedNormally = 1000;
const encoder = new TextEncoder();

/** A reader's position, kept in its socket's attachment so that it survives the object's hibernation. */
export interface RuntimeReader {
  runnerId: string;
  serviceId: string;
  /** Id of the last line that was sent to the reader, or that it already had. */
  sent: number;
  /** Whether the reader has received its snapshot. */
  live: boolean;
  /** Bytes that may still be sent to the reader. */
  credit: number;
  /** The last pace that the reader was informed of; absent for the normal pace. */
  paceMs?: number;
}

/** Text for readers that have everything up to `sent`, which is the key. */
type Pieces = Map<number, Piece>;
interface Piece {
  last: number;
  bytes: Uint8Array;
}

export class RuntimeReaders {
  readonly #ctx: DurableObjectState;
  readonly #recent: () => RecentLines;

  constructor(ctx: DurableObjectState, recent: () => RecentLines) {
    this.#ctx = ctx;
    this.#recent = recent;
  }

  get all(): RuntimeReader[] {
    return readersOf(this.#ctx).map(readerOf);
  }

  /** Adds a reader whose socket was accepted. It gets nothing before its snapshot. */
  add(socket: WebSocket, query: URLSearchParams): RuntimeReader {
    const reader: RuntimeReader = {
      runnerId: query.get('runner') ?? '',
      serviceId: query.get('service') ?? '',
      sent: Number(query.get('after')),
      live: false,
      credit: readWindowBytes,
    };
    socket.serializeAttachment(reader);
    return reader;
  }

  /** Handles a reader's message, which reports how much text the reader has passed on. */
  grant(socket: WebSocket, message: string | ArrayBuffer): void {
    const reader = readerOf(socket);
    const credit = withGrant(reader.credit, message);
    if (credit === null) return;
    socket.serializeAttachment({ ...reader, credit });
    this.#sendAhead(socket);
  }

  /** Sends new lines. Readers at the same position share the bytes, like those of build logs. */
  publish(): void {
    const shared: Pieces = new Map();
    for (const socket of readersOf(this.#ctx)) this.#sendAhead(socket, shared);
  }

  /** Sends snapshots to all readers without one. */
  begin(): void {
    for (const socket of readersOf(this.#ctx)) if (!readerOf(socket).live) this.#snapshot(socket);
  }

  #snapshot(socket: WebSocket): void {
    const reader = readerOf(socket);
    const lines = this.#recent().after(reader.sent).lines.slice(-snapshotLines);
    const sent = lines.at(-1)?.id ?? reader.sent;
    this.#send(socket, { ...reader, live: true, sent }, runtimeSnapshot(lines));
  }

  /** Sends unsent lines, as far as the reader's window allows. */
  #sendAhead(socket: WebSocket, pieces: Pieces = new Map()): void {
    for (;;) {
      const reader = readerOf(socket);
      if (!reader.live || reader.credit <= 0) return;
      const piece = pieces.get(reader.sent) ?? this.#pieceAfter(reader.sent);
      if (!piece) return;
      pieces.set(reader.sent, piece);
      if (!this.#sendBytes(socket, { ...reader, sent: piece.last }, piece.bytes)) return;
    }
  }

  #pieceAfter(sent: number): Piece | null {
    const { lines, isComplete } = this.#recent().after(sent);
    const piece = lines.slice(0, pieceLines);
    const last = piece.at(-1);
    if (!last) return null;
    const shown = isComplete || sent === 0 ? piece : [gapLine(piece), ...piece];
    return { last: last.id, bytes: encoder.encode(runtimeEvents(shown)) };
  }

  /** Sends each reader a line of the platform. */
  tell(line: string): void {
    for (const socket of readersOf(this.#ctx)) {
      const reader = readerOf(socket);
      const id = reader.sent + 1;
      if (reader.live)
        this.#send(socket, { ...reader, sent: id }, runtimeEvents([{ id, stream: 'system', line }]));
    }
  }

  /** Informs each reader once about the new pace. */
  tellPace(paceMs: number): void {
    for (const socket of readersOf(this.#ctx)) {
      const reader = readerOf(socket);
      if (!reader.live || (reader.paceMs ?? normalPaceMs) === paceMs) continue;
      this.#send(socket, { ...reader, paceMs }, paceEvent(paceMs));
    }
  }

  #send(socket: WebSocket, reader: RuntimeReader, text: string): boolean {
    return this.#sendBytes(socket, reader, encoder.encode(text));
  }

  #sendBytes(socket: WebSocket, reader: RuntimeReader, bytes: Uint8Array): boolean {
    try {
      socket.send(bytes);
      socket.serializeAttachment({ ...reader, credit: reader.credit - bytes.byteLength });
      return true;
    } catch {
      closeSocket(socket);
      return false;
    }
  }

  /** Ends the stream of each reader, with the reason. */
  end(reason: EndReason): void {
    for (const socket of readersOf(this.#ctx)) {
      const reader = readerOf(socket);
      this.#send(
        socket,
        reader,
        `${reader.live ? '' : runtimeSnapshot([])}${statusEvent({ ok: false, ...reason })}`,
      );
      closeSocket(socket);
    }
  }
}

/** Why a stream ends, as an error of the API. */
export interface EndReason {
  code: string;
  error: string;
}

function gapLine(piece: readonly RuntimeLine[]): RuntimeLine {
  return {
    id: (piece[0]?.id ?? 1) - 1,
    stream: 'system',
    line: 'Some lines are missing here because this reader is slower than the log.',
  };
}

/** Only this file writes the attachment, so its shape is trusted. */
function readerOf(socket: WebSocket): RuntimeReader {
  return socket.deserializeAttachment();
}

export function closeSocket(socket: WebSocket, code = closedNormally): void {
  try {
    socket.close(code);
  } catch {
    // Already closed.
  }
}
