/**
 * The subscribers of one log: hibernatable sockets that are sent finished Server-Sent Events text, as bytes: encoding it anew on the way
 * to each of a hundred readers was most of what they cost. What is left is the number of messages, about 0.2 ms each: with many readers
 * the frames of a moment go out as one.
 * A reader that keeps up gets each batch as it comes, encoded once for all. One that is behind (its snapshot is still going out, or its
 * client is slow) gets its lines from the journal, as much as its window allows. Which of the two holds is read from its place alone,
 * and every step runs without an await, so no line falls between snapshot and live or comes twice.
 */
import { logEntries, logEvents, snapshotEnd, snapshotStart, statusEvent } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import { type ReaderPlace, readWindowBytes, withGrant } from '../domain/logs/log-window.ts';
import type { LogJournal } from './log-journal.ts';

/** Text of one message of a reader that is behind. */
const pieceChars = 64 * 1024;
/** One more reader delays a message by this: with 100 of them 20 messages a second go to each, whatever the lines. */
const delayMsPerReader = 0.5;
/** Fewer readers are not worth a timer. */
const delayMsMin = 5;
const encoder = new TextEncoder();
const closedNormally = 1000;
const internalError = 1011;

export class LogReaders {
  readonly #ctx: DurableObjectState;
  readonly #journal: LogJournal;
  /** Received, and not yet sent to those that keep up. */
  #held: StoredLine[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectState, journal: LogJournal) {
    this.#ctx = ctx;
    this.#journal = journal;
  }

  get count(): number {
    return this.#ctx.getWebSockets().length;
  }

  /** A new reader: its snapshot holds every line above `after` that was received so far. */
  add(socket: WebSocket, deploymentId: string, after: number): void {
    this.#ctx.acceptWebSocket(socket);
    const snapshotUntil = Math.max(after, this.#journal.received);
    const credit = readWindowBytes;
    this.#sendAhead(socket, { deploymentId, sent: after, snapshotUntil, stage: 'snapshot', credit });
  }

  /** Lines that have just been received. A reader whose place is beyond them when they go out has had them from the journal. */
  publish(lines: readonly StoredLine[]): void {
    this.#held.push(...lines);
    const delayMs = this.count * delayMsPerReader;
    if (delayMs < delayMsMin) this.#sendHeld();
    else this.#timer ??= setTimeout(() => this.#sendHeld(), delayMs);
  }

  #sendHeld(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#held;
    this.#held = [];
    const first = lines[0];
    const last = lines.at(-1);
    if (!first || !last) return;
    let shared: Uint8Array | undefined;
    for (const socket of this.#ctx.getWebSockets()) {
      const place = placeOf(socket);
      if (place.stage === 'live' && place.sent === first.id - 1 && place.credit > 0) {
        shared ??= encoder.encode(logEvents(place.deploymentId, lines));
        this.#send(socket, { ...place, sent: last.id }, shared);
      } else {
        this.#sendAhead(socket, place);
      }
    }
  }

  /** A message of a reader: it has passed on so much text. */
  grant(socket: WebSocket, message: string | ArrayBuffer): void {
    const place = placeOf(socket);
    const credit = withGrant(place.credit, message);
    if (credit !== null) this.#sendAhead(socket, { ...place, credit });
  }

  /** The log has ended: readers that have everything are told so now, the others when they have caught up. */
  end(): void {
    this.#sendHeld();
    for (const socket of this.#ctx.getWebSockets()) this.#sendAhead(socket, placeOf(socket));
  }

  /** The log was emptied. */
  drop(): void {
    this.#held = [];
    for (const socket of this.#ctx.getWebSockets()) close(socket, closedNormally);
  }

  /** Sends from the journal until the reader has everything or its window is full. */
  #sendAhead(socket: WebSocket, start: ReaderPlace): void {
    let place = start;
    while (place.credit > 0) {
      const piece = this.#nextPiece(place);
      if (piece === null) break;
      const sent = this.#send(socket, piece.place, encoder.encode(piece.text));
      if (sent === null) return;
      place = sent;
    }
    socket.serializeAttachment(place);
    if (this.#hasEverything(place)) this.#sendEnd(socket);
  }

  #nextPiece(place: ReaderPlace): { place: ReaderPlace; text: string } | null {
    const lines = this.#journal.readAfter(place.sent, pieceChars);
    if (place.stage === 'live') {
      const last = lines.at(-1);
      return last ? { place: { ...place, sent: last.id }, text: logEvents(place.deploymentId, lines) } : null;
    }
    return this.#nextPartOfSnapshot(place, lines);
  }

  #nextPartOfSnapshot(place: ReaderPlace, lines: StoredLine[]): { place: ReaderPlace; text: string } {
    const entries = lines.filter((line) => line.id <= place.snapshotUntil);
    const last = entries.at(-1);
    const sent = last?.id ?? place.sent;
    const ends = sent >= place.snapshotUntil;
    const text = [
      place.stage === 'snapshot' ? snapshotStart : ',',
      logEntries(place.deploymentId, entries),
      ends ? snapshotEnd(last?.id ?? null) : '',
    ].join('');
    return { place: { ...place, sent, stage: ends ? 'live' : 'entries' }, text };
  }

  #hasEverything(place: ReaderPlace): boolean {
    return (
      this.#journal.outcome !== undefined && place.stage === 'live' && place.sent >= this.#journal.received
    );
  }

  #sendEnd(socket: WebSocket): void {
    const ok = this.#journal.outcome?.ok === true;
    try {
      socket.send(encoder.encode(statusEvent(ok)));
    } catch {
      // Gone already: the close below is all that is left to do.
    }
    close(socket, closedNormally);
  }

  /** @returns the reader's new place; null when the socket is gone. */
  #send(socket: WebSocket, place: ReaderPlace, text: Uint8Array): ReaderPlace | null {
    const after = { ...place, credit: place.credit - text.byteLength };
    try {
      socket.send(text);
      socket.serializeAttachment(after);
      return after;
    } catch {
      close(socket, internalError);
      return null;
    }
  }
}

/** Written by this file alone, so its shape is trusted. */
function placeOf(socket: WebSocket): ReaderPlace {
  return socket.deserializeAttachment();
}

function close(socket: WebSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // Closed already.
  }
}
