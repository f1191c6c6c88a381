/**
 * The subscribers of one log: hibernatable sockets that receive finished Server-Sent Events text. It is sent as bytes, because encoding it
 * again for each of a hundred readers dominated their cost. The number of messages remains, about 0.2 ms each, so with many readers the
 * frames of a short interval are sent as one.
 * A reader that keeps up gets each batch immediately, encoded once for all. A reader that is behind (it still receives its snapshot, or its
 * client is slow) gets its lines from the journal, as far as its window allows. Its position alone tells which case applies, and every step
 * runs without an await, so no line is lost or duplicated between snapshot and live lines.
 */
import {
  logEntries,
  logEvents,
  paceEvent,
  snapshotEnd,
  snapshotStart,
  statusEvent,
} from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import { normalPaceMs } from '../domain/logs/log-pace.ts';
import { type ReaderPlace, readWindowBytes, withGrant } from '../domain/logs/log-window.ts';
import type { LogJournal } from './log-journal.ts';
import { readersOf } from './reader-places.ts';

/** Characters per message to a reader that is behind. */
const pieceChars = 64 * 1024;
/** Each reader delays messages by this: with 100 readers, each gets 20 messages a second, however many lines there are. */
const delayMsPerReader = 0.5;
/** Shorter delays are not worth a timer. */
const delayMsMin = 5;
const encoder = new TextEncoder();
const closedNormally = 1000;
const internalError = 1011;

export class LogReaders {
  readonly #ctx: DurableObjectState;
  readonly #journal: LogJournal;
  /** Received lines that were not yet sent to the readers that keep up. */
  #held: StoredLine[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectState, journal: LogJournal) {
    this.#ctx = ctx;
    this.#journal = journal;
  }

  get count(): number {
    return readersOf(this.#ctx).length;
  }

  /** Adds a reader whose socket was accepted. Its snapshot has every line above `after` received so far. */
  add(socket: WebSocket, deploymentId: string, after: number): void {
    const snapshotUntil = Math.max(after, this.#journal.received);
    const credit = readWindowBytes;
    this.#sendAhead(socket, { deploymentId, sent: after, snapshotUntil, stage: 'snapshot', credit });
  }

  /** Sends new lines. A reader that is already past them when they are sent got them from the journal. */
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
    for (const socket of readersOf(this.#ctx)) {
      const place = placeOf(socket);
      if (place.stage === 'live' && place.sent === first.id - 1 && place.credit > 0) {
        shared ??= encoder.encode(logEvents(place.deploymentId, lines));
        this.#send(socket, { ...place, sent: last.id }, shared);
      } else {
        this.#sendAhead(socket, place);
      }
    }
  }

  /** A reader's message: how much text it has passed on. */
  grant(socket: WebSocket, message: string | ArrayBuffer): void {
    const place = placeOf(socket);
    const credit = withGrant(place.credit, message);
    if (credit !== null) this.#sendAhead(socket, { ...place, credit });
  }

  /** Tells each reader once how often lines come from now on. */
  tellPace(paceMs: number): void {
    for (const socket of readersOf(this.#ctx)) {
      const place = placeOf(socket);
      if (place.stage !== 'live' || (place.paceMs ?? normalPaceMs) === paceMs) continue;
      this.#send(socket, { ...place, paceMs }, encoder.encode(paceEvent(paceMs)));
    }
  }

  /** The log has ended: readers that have everything get the end now, the others when they have caught up. */
  end(): void {
    this.#sendHeld();
    for (const socket of readersOf(this.#ctx)) this.#sendAhead(socket, placeOf(socket));
  }

  /** The log was emptied. */
  drop(): void {
    this.#held = [];
    for (const socket of readersOf(this.#ctx)) close(socket, closedNormally);
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
    const ending = this.#journal.outcome ?? { ok: false };
    try {
      socket.send(encoder.encode(statusEvent(ending)));
    } catch {
      // Already gone: only the close below is left to do.
    }
    close(socket, closedNormally);
  }

  /** @returns the reader's new position; null if the socket is gone */
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

/** Only this file writes the attachment, so its shape is trusted. */
function placeOf(socket: WebSocket): ReaderPlace {
  return socket.deserializeAttachment();
}

function close(socket: WebSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // Already closed.
  }
}
