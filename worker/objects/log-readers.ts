/**
 * The subscribers of one log: hibernatable sockets that receive finished Server-Sent Events text. The text is sent as bytes, because
 * encoding it for each of a hundred readers dominated their cost. The remaining cost is about 0.2 ms per message, so with many readers the
 * frames of a short interval are sent as one message, and those of a longer interval while many readers are behind.
 * A reader that keeps up gets each batch immediately, encoded once for all. A reader that is behind (it still receives its snapshot, or its
 * client is slow) gets its lines from the journal, as far as its window allows. The reader's position alone decides which case applies, and
 * every step runs without an await, so no line is lost or duplicated between snapshot and live lines.
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
import { doublingsAfter, messageIntervalMs, normalPaceMs } from '../domain/logs/log-pace.ts';
import { type ReaderPlace, readWindowBytes, withGrant } from '../domain/logs/log-window.ts';
import type { LogJournal } from './log-journal.ts';
import { readersOf } from './reader-places.ts';
import { SharedPieces } from './shared-pieces.ts';

/** Characters per message to a reader that is behind. */
const pieceChars = 64 * 1024;
/** More text than this is sent at once: two such messages fit into a reader's window. */
const heldCharsMax = readWindowBytes / 4;
const encoder = new TextEncoder();
const closedNormally = 1000;
const internalError = 1011;

/** The next text to send, and the position after it. */
interface NextPiece {
  place: ReaderPlace;
  text: Uint8Array;
}

export class LogReaders {
  readonly #ctx: DurableObjectState;
  readonly #journal: LogJournal;
  /** Received lines that were not sent yet to the readers that are up to date. */
  #held: StoredLine[] = [];
  #heldChars = 0;
  #heldSentAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How often the interval between messages was doubled, because readers did not keep up. */
  #doublings = 0;
  /** The host's pace. */
  #paceMs = normalPaceMs;
  /** The pace that every reader was informed of; undefined if the readers have to be checked. */
  #toldPaceMs: number | undefined;
  readonly #shared = new SharedPieces();

  constructor(ctx: DurableObjectState, journal: LogJournal) {
    this.#ctx = ctx;
    this.#journal = journal;
  }

  get count(): number {
    return readersOf(this.#ctx).length;
  }

  /** Adds a reader whose socket was accepted. Its snapshot contains all lines above `after` received so far. */
  add(socket: WebSocket, deploymentId: string, after: number): void {
    const snapshotUntil = Math.max(after, this.#journal.received);
    const credit = readWindowBytes;
    this.#toldPaceMs = undefined;
    this.#sendAhead(socket, { deploymentId, sent: after, snapshotUntil, stage: 'snapshot', credit });
  }

  /** Sends new lines, now or when the interval between messages is over. A reader that is already beyond these lines got them from the journal. */
  publish(lines: readonly StoredLine[]): void {
    for (const line of lines) {
      this.#held.push(line);
      this.#heldChars += line.line.length;
    }
    // At most the interval, even if the clock was set back.
    const waitMs = Math.min(this.#intervalMs, this.#heldSentAt + this.#intervalMs - Date.now());
    if (waitMs <= 0 || this.#heldChars > heldCharsMax) this.#sendHeld();
    else this.#timer ??= setTimeout(() => this.#sendHeld(), waitMs);
  }

  get #intervalMs(): number {
    return messageIntervalMs(this.count, this.#doublings);
  }

  #sendHeld(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#heldSentAt = Date.now();
    const lines = this.#held;
    this.#held = [];
    this.#heldChars = 0;
    const first = lines[0];
    const last = lines.at(-1);
    if (!first || !last) return;
    let shared: Uint8Array | undefined;
    let behind = 0;
    const sockets = readersOf(this.#ctx);
    for (const socket of sockets) {
      const place = placeOf(socket);
      if (place.stage === 'live' && place.sent === first.id - 1 && place.credit > 0) {
        shared ??= encoder.encode(logEvents(place.deploymentId, lines));
        this.#send(socket, { ...place, sent: last.id }, shared);
      } else {
        if (place.credit <= 0) behind += 1;
        this.#sendAhead(socket, place);
      }
    }
    this.#doublings = doublingsAfter(this.#doublings, behind, sockets.length);
    this.tellPace(this.#paceMs);
  }

  /** Handles a reader's message, which reports how much text the reader has passed on. */
  grant(socket: WebSocket, message: string | ArrayBuffer): void {
    const place = placeOf(socket);
    const credit = withGrant(place.credit, message);
    if (credit !== null) this.#sendAhead(socket, { ...place, credit });
  }

  /** Informs each reader once about the new pace. @param ofHost the host's pace */
  tellPace(ofHost: number): void {
    this.#paceMs = ofHost;
    const paceMs = Math.max(ofHost, this.#doublings > 0 ? this.#intervalMs : 0);
    if (paceMs === this.#toldPaceMs) return;
    const text = encoder.encode(paceEvent(paceMs, paceMs > ofHost ? 'readers' : 'budget'));
    let areAllLive = true;
    for (const socket of readersOf(this.#ctx)) {
      const place = placeOf(socket);
      if (place.stage !== 'live') areAllLive = false;
      else if ((place.paceMs ?? normalPaceMs) !== paceMs) this.#send(socket, { ...place, paceMs }, text);
    }
    if (areAllLive) this.#toldPaceMs = paceMs;
  }

  /** Called when the log has ended: up-to-date readers get the end now, others when they have caught up. */
  end(): void {
    this.#sendHeld();
    for (const socket of readersOf(this.#ctx)) this.#sendAhead(socket, placeOf(socket));
  }

  /** Called when the log was emptied. */
  drop(): void {
    this.#held = [];
    this.#heldChars = 0;
    this.#shared.clear();
    for (const socket of readersOf(this.#ctx)) close(socket, closedNormally);
  }

  /** Sends from the journal until the reader has everything except the held lines, or its window is full. */
  #sendAhead(socket: WebSocket, start: ReaderPlace): void {
    let place = start;
    while (place.credit > 0) {
      const piece = place.stage === 'live' ? this.#nextLivePiece(place) : this.#nextPartOfSnapshot(place);
      if (piece === null) break;
      const sent = this.#send(socket, piece.place, piece.text);
      if (sent === null) return;
      place = sent;
    }
    socket.serializeAttachment(place);
    if (this.#hasEverything(place)) this.#sendEnd(socket);
  }

  /** Held lines are left out: a reader with all lines before them gets them together with the others. */
  #nextLivePiece(place: ReaderPlace): NextPiece | null {
    const until = (this.#held[0]?.id ?? this.#journal.received + 1) - 1;
    if (place.sent >= until) return null;
    const piece = this.#shared.get(place.sent, () => {
      const lines = this.#journal.readAfter(place.sent, pieceChars).filter(({ id }) => id <= until);
      const last = lines.at(-1);
      return last ? { last: last.id, text: encoder.encode(logEvents(place.deploymentId, lines)) } : null;
    });
    return piece && { place: { ...place, sent: piece.last }, text: piece.text };
  }

  #nextPartOfSnapshot(place: ReaderPlace): NextPiece {
    const lines = this.#journal.readAfter(place.sent, pieceChars);
    const entries = lines.filter((line) => line.id <= place.snapshotUntil);
    const last = entries.at(-1);
    const sent = last?.id ?? place.sent;
    const ends = sent >= place.snapshotUntil;
    const text = [
      place.stage === 'snapshot' ? snapshotStart : ',',
      logEntries(place.deploymentId, entries),
      ends ? snapshotEnd(last?.id ?? null) : '',
    ].join('');
    const after: ReaderPlace = { ...place, sent, stage: ends ? 'live' : 'entries' };
    return { place: after, text: encoder.encode(text) };
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
      // Already disconnected: only the close below is left to do.
    }
    close(socket, closedNormally);
  }

  /** @returns the reader's new position; null if the socket is closed */
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
