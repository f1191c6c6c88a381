/**
 * The sockets of one runner: at most one speaks for it (it has a session), others are still proving who they are.
 * All that is known of a socket is in its attachment, so that it outlives the object's sleep.
 */
import { closeCodes } from '../../protocol/enrolment.ts';
import { type HubFrame, protocolVersion } from '../../protocol/frames.ts';
import type { Lease } from '../domain/leases.ts';
import type { Connection } from '../gateways/object-calls.ts';
import { toBase64Url } from '../security/base64url.ts';

/** A process of the runner that has proved its identity. */
export interface Session {
  bootId: string;
  bootedAt: number;
}

export interface SocketState extends Connection {
  /** Null once a hello has used it. */
  nonce: string | null;
  acceptedAt: number;
  /** Null before the hello, and again once the socket was given up. */
  session: Session | null;
  /** Memory of the object, kept over its sleep. */
  leases: Lease[];
}

/** Close code of the RFC 6455 registry: the runner reconnects and says everything again. */
export const tryAgainLater = 1013;
/** A runner answers the challenge at once; a socket that has not after this long is closed. */
const helloLimitMs = 10_000;
/** Runners ping every 25 s; three that stayed away mean a dead connection, of which nobody tells us. */
export const silenceLimitMs = 80_000;
/** A runner needs one; more are somebody who knows its id. */
const unprovenMax = 8;
const nonceBytes = 32;

export class RunnerSockets {
  readonly #ctx: DurableObjectState;
  readonly #now: () => number;
  readonly #helloTimers = new Map<WebSocket, ReturnType<typeof setTimeout>>();

  constructor(ctx: DurableObjectState, now: () => number) {
    this.#ctx = ctx;
    this.#now = now;
  }

  /** The socket that speaks for the runner. */
  get current(): WebSocket | undefined {
    return this.#open().find((socket) => this.state(socket)?.session);
  }

  /** All that have a session; more than one only for the moment in which a new one takes over. */
  withSession(): WebSocket[] {
    return this.#open().filter((socket) => this.state(socket)?.session);
  }

  /** Takes a new socket and challenges it. @returns the client's end; undefined when too many are unproven. */
  accept(connection: Connection): WebSocket | undefined {
    const unproven = this.#open().filter((socket) => !this.state(socket)?.session);
    if (unproven.length >= unprovenMax) return undefined;
    const { 0: client, 1: server } = new WebSocketPair();
    const nonce = newNonce();
    this.#ctx.acceptWebSocket(server);
    const state: SocketState = {
      ...connection,
      nonce,
      acceptedAt: this.#now(),
      session: null,
      leases: [],
    };
    server.serializeAttachment(state);
    this.#helloTimers.set(
      server,
      setTimeout(() => this.close(server, closeCodes.silent, 'no hello in time'), helloLimitMs),
    );
    this.sendTo(server, {
      v: protocolVersion,
      type: 'challenge',
      nonce,
      audience: connection.audience,
    });
    return client;
  }

  state(socket: WebSocket): SocketState | null {
    return socket.deserializeAttachment() as SocketState | null;
  }

  update(socket: WebSocket, change: Partial<SocketState>): void {
    const state = this.state(socket);
    if (state) socket.serializeAttachment({ ...state, ...change });
  }

  /** The socket has proved itself: it may stay. */
  admit(socket: WebSocket, session: Session): void {
    this.#clearTimer(socket);
    this.update(socket, { session });
  }

  /** To the runner. @returns false when it is not connected: the rows will say it again. */
  send(frame: HubFrame): boolean {
    const socket = this.current;
    return socket !== undefined && this.sendTo(socket, frame);
  }

  sendTo(socket: WebSocket, frame: HubFrame): boolean {
    try {
      socket.send(JSON.stringify(frame));
      return true;
    } catch {
      return false; // It closed this moment; its close event follows.
    }
  }

  /** Gives a socket up: it speaks for nobody from now on, whenever its close event may come. */
  close(socket: WebSocket, code: number, reason: string): void {
    this.#clearTimer(socket);
    this.update(socket, { session: null });
    try {
      socket.close(code, reason);
    } catch {
      // It is closed already.
    }
  }

  /** Epoch milliseconds of the last ping that was answered without waking the object, or of the socket's beginning. */
  lastPing(socket: WebSocket): number {
    const answered = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return Math.max(answered, this.state(socket)?.acceptedAt ?? 0);
  }

  /** Closes what never said hello: the timer is gone when the object slept or moved meanwhile. */
  closeOverdue(): void {
    for (const socket of this.#open()) {
      const state = this.state(socket);
      if (state && !state.session && this.#now() - state.acceptedAt > helloLimitMs) {
        this.close(socket, closeCodes.silent, 'no hello in time');
      }
    }
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
  }

  #clearTimer(socket: WebSocket): void {
    clearTimeout(this.#helloTimers.get(socket) ?? null);
    this.#helloTimers.delete(socket);
  }
}

function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(nonceBytes));
  return toBase64Url(bytes);
}
