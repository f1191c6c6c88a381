/**
 * A WebSocket straight to the object of one log, opened with a ticket of the hub. It carries frames that would otherwise use the control
 * socket. It never reconnects: when it ends, lines are sent through the hub again, which gives another ticket while the log is read.
 */
import { WebSocket } from 'ws';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { type HubFrame, parseHubFrame, pingText, pongText, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import { Liveness } from './liveness.ts';

export interface LogSocketEvents {
  opened(): void;
  frame(frame: HubFrame): void;
  /** The last event. @param failed the socket broke, or could not be opened; otherwise the log wants no more lines on it */
  ended(failed: boolean): void;
}

/** Time limit for TCP, TLS and the upgrade. */
const openLimitMs = 10_000;
const closedNormally = 1000;
/** The only incoming frames are acknowledgements. */
const frameBytesMax = 64 * 1024;

export class LogSocket {
  readonly #socket: WebSocket;
  readonly #events: LogSocketEvents;
  readonly #liveness: Liveness;
  #ended = false;

  constructor(url: string, ticket: string, clock: Clock, events: LogSocketEvents) {
    const target = new URL(runnerPaths.log, url);
    target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(target, {
      headers: { authorization: `Bearer ${ticket}` },
      handshakeTimeout: openLimitMs,
      maxPayload: frameBytesMax,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    this.#events = events;
    this.#liveness = new Liveness(clock, { ping: () => socket.send(pingText), dead: () => this.#end(true) });
    socket.on('open', () => this.#opened());
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? '' : String(data)));
    // An error is followed by a close. Refused upgrades are errors too.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.#end(code !== closedNormally));
  }

  get isOpen(): boolean {
    return !this.#ended && this.#socket.readyState === WebSocket.OPEN;
  }

  /** @returns false if the socket is not open */
  send(frame: RunnerFrame): boolean {
    if (!this.isOpen) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** Closes the socket without an event. */
  close(): void {
    this.#ended = true;
    this.#liveness.stop();
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(closedNormally);
    else this.#socket.terminate();
  }

  #opened(): void {
    if (this.#ended) return;
    this.#liveness.start();
    this.#events.opened();
  }

  #receive(text: string): void {
    this.#liveness.received();
    if (this.#ended || text === pongText) return;
    const parsed = parseHubFrame(text);
    if (parsed.ok) this.#events.frame(parsed.frame);
  }

  /** Drops the connection without waiting for the other side, which may never answer. */
  #end(failed: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#liveness.stop();
    this.#socket.terminate();
    this.#events.ended(failed);
  }
}
